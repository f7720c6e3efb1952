package import PTTMessages

/// The facts about the channel that notifications and the lock screen show.
package struct ShownChannel: Equatable, Sendable {
    package struct Speaker: Equatable, Sendable {
        package var name: String
        /// The picture, if it has been fetched and can be shown.
        package var imageID: String?
    }

    package var channelID: ChannelID
    package var name: String
    package var speaker: Speaker?
    package var isMicrophoneOpen = false
    /// True if the channel's mode allows to talk.
    package var canTalk = true
    package var isLocked = false
    /// True if a panel shows the tray item, and with it the open microphone.
    package var hasPanel = false
}

extension ShownChannel {
    /// Nil without a channel, or without a core.
    init?(_ status: Status?, readyImages: Set<String>, isLocked: Bool, hasPanel: Bool) {
        guard let status, let channel = status.channel else { return nil }
        channelID = channel.channelID
        name = DisplayText(channel.name).or("Push to talk")
        speaker = channel.participant.map { participant in
            let imageID = participant.image?.imageID
            return Speaker(
                name: DisplayText(participant.name).or("Somebody"),
                imageID: imageID.flatMap { readyImages.contains($0) ? $0 : nil }
            )
        }
        isMicrophoneOpen = status.transmission != nil
        canTalk = channel.transmissionMode != .listenOnly
        self.isLocked = isLocked
        self.hasPanel = hasPanel
    }

    /// The sentence for people. On a locked screen, which others read, names are shown only if the person
    /// asked for it.
    func sentence(namesOnLockScreen showsNames: Bool, withMicrophone: Bool) -> String {
        if withMicrophone, isMicrophoneOpen { return "The microphone is open" }
        guard let speaker else { return "Nobody speaks" }
        return isLocked && !showsNames ? "Somebody speaks" : "\(speaker.name) speaks"
    }
}
