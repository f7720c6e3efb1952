/// A device of the Push-to-Talk Microphone that a person has turned down or muted: nobody hears a press. This
/// is the person's decision, which the core does not change.
package struct UnheardDevice: Equatable, Codable, Sendable {
    /// The audio server's name of it.
    package let name: String
    /// True for the feed of the microphone, which is muted while nobody presses; false for the microphone
    /// itself.
    package let isFeed: Bool
    /// Otherwise its volume is zero.
    package let isMuted: Bool

    package init(name: String, isFeed: Bool = false, isMuted: Bool = false) {
        self.name = name
        self.isFeed = isFeed
        self.isMuted = isMuted
    }
}
