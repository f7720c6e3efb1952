package import PTTMessages

extension PanelItem {
    /// - Parameters:
    ///   - status: Of the core; nil while it is not connected.
    ///   - lastName: The name of the item when the core was lost.
    ///   - message: The meaning of the last tone, if nothing has happened since.
    ///   - readyImages: The pictures that can be shown.
    ///   - canChooseKey: True if the desktop lets people choose the talk key when it is asked to.
    package init(
        _ status: Status?,
        lastName: Text? = nil,
        message: Text? = nil,
        readyImages: Set<String> = [],
        canChooseKey: Bool = false
    ) {
        let destination = Destination(status, readyImages: readyImages)
        let isTransmitting = destination?.isMicrophoneOpen ?? false
        let name = destination?.name ?? (status == nil ? lastName : nil)
        let hearing = destination?.hearing ?? Destination.nobodySpeaks
        let speaker = destination?.speaker
        let problem =
            status.map { message ?? Self.problem(of: $0) } ?? Text("The push-to-talk service does not run")

        title = name ?? Destination.unnamed
        state = name == nil ? .passive : isTransmitting ? .attention : .active
        icon = isTransmitting ? .microphoneOpen : speaker == nil ? .idle : .speaker
        if !isTransmitting { imageID = speaker?.imageID }
        let activity =
            destination?.sentence(namesOnLockScreen: true, withMicrophone: true)
            ?? Destination.nobodySpeaks
        toolTip = problem.map { Text("\(activity). \($0)") } ?? activity
        menu = [
            MenuEntry(id: .channel, label: title, imageID: destination?.imageID),
            MenuEntry(id: .speaker, label: hearing, imageID: speaker?.imageID),
            MenuEntry(id: .problem, label: problem ?? Text(""), isVisible: problem != nil),
            MenuEntry(id: .separator),
            MenuEntry(
                id: .talk,
                label: Notice.Action.talk.label,
                isEnabled: destination != nil,
                isVisible: !isTransmitting
            ),
            MenuEntry(
                id: .stop,
                label: Notice.Action.stop.label,
                isEnabled: isTransmitting,
                isVisible: isTransmitting
            ),
            MenuEntry(
                id: .key,
                label: Text("Choose the key…"),
                isEnabled: canChooseKey,
                isVisible: canChooseKey
            ),
            MenuEntry(id: .leave, label: Notice.Action.leave.label, isEnabled: destination?.channelID != nil),
        ]
    }

    /// Returns the gravest problem that a person should know of before, or while, they talk.
    private static func problem(of status: Status) -> Text? {
        guard Destination(status) != nil else { return nil }
        if !status.isAudioServerReady { return Text("No sound server is ready") }
        if let call = status.call {
            let name = DisplayText(call.name).or(Text("telephone"))
            return Text("A call is active: \(name)")
        }
        if let problem = status.microphone?.problem { return problem }
        switch status.channel?.serviceStatus {
        case .unavailable: return Text("The application has no connection to its servers")
        case .connecting: return Text("The application is connecting to its servers")
        case .unknown, .ready, nil: break
        }
        if status.channel != nil, status.saveFailure != nil {
            return Text("The channel cannot be saved for the next start")
        }
        return nil
    }
}

extension MicrophoneState {
    static let muted = Text("The microphone is muted")
    static let silent = Text("The microphone's volume is zero")

    /// Why nobody would hear what is said; nil if it is heard.
    var problem: Text? { isMuted ? Self.muted : isSilent ? Self.silent : nil }
}

extension DisplayText {
    /// The text, or another one if nothing of it can be seen.
    package func or(_ fallback: Text) -> Text { isEmpty ? fallback : Text(verbatim: text) }
}
