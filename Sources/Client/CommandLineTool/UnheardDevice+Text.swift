package import PTTMessages

extension UnheardDevice {
    /// For people; one line.
    package var text: Text {
        let device =
            isFeed
            ? Text("what feeds the Push-to-Talk Microphone (\(name))")
            : Text("the Push-to-Talk Microphone (\(name))")
        return isMuted
            ? Text("\(device) is muted in the sound server: nobody hears a press")
            : Text("the volume of \(device) is zero: nobody hears a press")
    }

    /// The command that cures it.
    package var cure: String {
        let (name, change) = (ShellArgument(name), isFeed ? "pactl set-sink" : "pactl set-source")
        return isMuted ? "\(change)-mute \(name) 0" : "\(change)-volume \(name) 100%"
    }
}
