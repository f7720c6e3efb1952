package import PTTMessages

extension UnheardDevice {
    /// For people; one line.
    package var text: String {
        let device =
            isFeed
            ? "what feeds the Push-to-Talk Microphone (\(name))" : "the Push-to-Talk Microphone (\(name))"
        return (isMuted ? "\(device) is muted in the sound server" : "the volume of \(device) is zero")
            + ": nobody hears a press"
    }

    package var cure: Cure {
        let (name, change) = (ShellArgument(name), isFeed ? "pactl set-sink" : "pactl set-source")
        return .command(isMuted ? "\(change)-mute \(name) 0" : "\(change)-volume \(name) 100%")
    }
}
