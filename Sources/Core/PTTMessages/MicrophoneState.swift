/// The microphone of the running transmission, or of the last one, as the audio server has it.
package struct MicrophoneState: Equatable, Codable, Sendable {
    /// The audio server's name of the source.
    package let name: String
    /// For people.
    package let description: String
    /// True if it is muted in the audio server.
    package let isMuted: Bool
    /// True if its volume is zero.
    package let isSilent: Bool

    package init(name: String, description: String, isMuted: Bool, isSilent: Bool) {
        self.name = name
        self.description = description
        self.isMuted = isMuted
        self.isSilent = isSilent
    }

    /// True if it delivers nothing but zeros.
    package var isDeaf: Bool { isMuted || isSilent }
}
