package import PTTMessages

extension PanelItem {
    /// - Parameters:
    ///   - status: Of the core; nil while it is not connected.
    ///   - lastChannel: The name of the channel that was joined when the core was lost.
    ///   - refusal: Why the last Talk was refused, if nothing has happened since.
    ///   - readyImages: The pictures that can be shown.
    package init(
        _ status: Status?,
        lastChannel: String? = nil,
        refusal: String? = nil,
        readyImages: Set<String> = []
    ) {
        let channel = status?.channel
        let isTransmitting = status?.transmission != nil
        let participant = channel?.participant
        let joined = channel?.name ?? (status == nil ? lastChannel : nil)
        let name = joined.map { DisplayText($0).or("Push to talk") } ?? "Push to talk"
        let speaker = participant.map { DisplayText($0.name).or("Somebody") + " speaks" }
        let speakerImage = participant?.image.flatMap { readyImages.contains($0.imageID) ? $0.imageID : nil }
        let channelImage = channel?.image.flatMap { readyImages.contains($0.imageID) ? $0.imageID : nil }
        let problem =
            status.map { refusal ?? Self.problem(of: $0) } ?? "The push-to-talk service does not run"

        title = name
        if joined == nil {
            state = .passive
        } else {
            state = isTransmitting ? .attention : .active
        }
        if isTransmitting {
            icon = .microphoneOpen
        } else if participant != nil {
            icon = .speaker(imageID: speakerImage)
        } else {
            icon = .idle
        }
        let activity = isTransmitting ? "The microphone is open" : speaker ?? "Nobody speaks"
        toolTip = problem.map { "\(activity). \($0)" } ?? activity
        menu = [
            MenuEntry(id: .channel, label: name, imageID: channelImage),
            MenuEntry(id: .speaker, label: speaker ?? "Nobody speaks", imageID: speakerImage),
            MenuEntry(id: .problem, label: problem ?? "", isVisible: problem != nil),
            MenuEntry(id: .separator),
            MenuEntry(id: .talk, label: isTransmitting ? "Stop" : "Talk", isEnabled: channel != nil),
            MenuEntry(id: .leave, label: "Leave", isEnabled: channel != nil),
        ]
    }

    /// Returns the gravest problem that a person should know of before, or while, they talk.
    private static func problem(of status: Status) -> String? {
        guard let channel = status.channel else { return nil }
        if !status.isAudioServerReady { return "No sound server runs" }
        if let call = status.call { return "A call is active: " + DisplayText(call.name).or("telephone") }
        if let microphone = status.microphone, microphone.isMuted { return "The microphone is muted" }
        if let microphone = status.microphone, microphone.isSilent {
            return "The microphone's volume is zero"
        }
        switch channel.serviceStatus {
        case .unavailable: return "The application has no connection to its servers"
        case .connecting: return "The application is connecting to its servers"
        case .unknown, .ready: break
        }
        if status.saveFailure != nil { return "The channel cannot be saved for the next start" }
        return nil
    }
}

extension DisplayText {
    /// The text, or another one if nothing of it can be seen.
    package func or(_ fallback: String) -> String { isEmpty ? fallback : text }
}
