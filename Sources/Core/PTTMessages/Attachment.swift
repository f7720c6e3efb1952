// The first reply to an application that attaches.

extension ApplicationInterface {
    package struct Attachment: Equatable, Codable, Sendable {
        /// A second connection passes it to `UseAttachment`, once, to make calls for this application.
        package let callToken: String
        /// The application sends it first on the audio socket; valid for one connection at a time.
        package let audioToken: String
        /// For pushes, which are accepted while the channel is joined.
        package let pushToken: PushToken
        package let format: AudioFormat
        /// The channel of this application that stayed joined without it;
        /// ``CoreEvent/channelJoined(channel:joinReason:)`` follows.
        package let restored: Restored?
        /// The channel of this application that was left while it was not attached. Reported once.
        package let left: Left?
        /// True if the application counts as in the foreground. An application that attaches again passes
        /// this value: a core that has been restarted does not know that it had started the application in
        /// the background.
        package let isForeground: Bool
        package let isAudioServerReady: Bool

        package init(
            callToken: String,
            audioToken: String,
            pushToken: PushToken,
            format: AudioFormat,
            restored: Restored?,
            left: Left? = nil,
            isForeground: Bool = true,
            isAudioServerReady: Bool
        ) {
            self.callToken = callToken
            self.audioToken = audioToken
            self.pushToken = pushToken
            self.format = format
            self.restored = restored
            self.left = left
            self.isForeground = isForeground
            self.isAudioServerReady = isAudioServerReady
        }
    }

    package struct Restored: Equatable, Codable, Sendable {
        package let channelID: ChannelID
        /// True if the core has lost the descriptor and no push is waiting, so that the application should
        /// set it.
        package let needsDescriptor: Bool

        package init(channelID: ChannelID, needsDescriptor: Bool) {
            self.channelID = channelID
            self.needsDescriptor = needsDescriptor
        }
    }

    package struct Left: Equatable, Codable, Sendable {
        package let channelID: ChannelID
        package let reason: LeaveReason
        /// A note of what people should know about it, if anything.
        package let explanation: String?

        package init(channelID: ChannelID, reason: LeaveReason, explanation: String?) {
            self.channelID = channelID
            self.reason = reason
            self.explanation = explanation
        }
    }
}
