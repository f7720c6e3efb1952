package import PTTMessages

/// The data that must survive a crash of the core and a reboot, so that the application gets its channel
/// back.
package struct SavedChannel: Equatable, Codable, Sendable {
    package let channelID: ChannelID
    /// Nil for a channel that was joined from the command line.
    package let owner: Owner?
    package let pushToken: PushToken
    package let transmissionMode: TransmissionMode
    package let areAccessoryEventsEnabled: Bool
}

/// The application that a channel belongs to, whether it is running or not.
package struct Owner: Hashable, Codable, Sendable {
    package let identifier: ApplicationID
    package let name: String
    /// Nil if only a person can start it.
    package let activation: Activation?
}

/// The name and the image that people see of a channel: `PTChannelDescriptor` of Apple's framework.
package struct Descriptor: Equatable, Codable, Sendable {
    package let name: String
    package let image: Image?

    package init(name: String, image: Image?) {
        self.name = name
        self.image = image
    }
}
