/// A device of the Push-to-Talk Microphone that a person has turned down or muted: nobody hears a press. This is the person's
/// decision, which the core does not change.
package struct UnheardDevice: Equatable, Sendable {
    package enum Kind: String, Sendable {
        /// The Push-to-Talk Microphone itself.
        case source
        /// What feeds it. It is muted while nobody presses.
        case sink
    }

    package var kind: Kind
    /// The server's name of it.
    package var name: String
    /// Otherwise its volume is 0.
    package var isMuted: Bool

    package init(_ kind: Kind, name: String, isMuted: Bool = false) {
        self.kind = kind
        self.name = name
        self.isMuted = isMuted
    }

    /// For people; one line.
    package var text: String {
        let device =
            switch kind {
            case .source: "the Push-to-Talk Microphone (\(name))"
            case .sink: "what feeds the Push-to-Talk Microphone (\(name))"
            }
        return (isMuted ? "\(device) is muted in the sound server" : "the volume of \(device) is zero")
            + ": nobody hears a press"
    }

    package var cure: Cure {
        let (name, change) = (ShellArgument(name), "pactl set-\(kind.rawValue)")
        return .command(isMuted ? "\(change)-mute \(name) 0" : "\(change)-volume \(name) 100%")
    }
}
