import PTTMessages

/// The result of a recording of the microphone that a person has asked for and that is not kept.
enum RecordingFacts: Equatable, Sendable {
    /// The loudest sample, in dB of full scale; nil if all were zero.
    case heard(peak: Double?)
    case failed(reason: Text)

    /// In dB of full scale. The noise of a room alone is louder.
    static let quietest = -80.0

    var findings: [Finding] {
        switch self {
        case .heard(let peak?) where peak > Self.quietest:
            Check.recording.ok(
                Text("the microphone is heard: its loudest sample has \(Int(peak.rounded())) dB")
            )
        case .heard:
            Check.recording.failure(
                Text("the microphone delivers silence"),
                cure: .advice(
                    Text("look for a switch on the headset, or choose another microphone in pttd.toml")
                )
            )
        case .failed(let reason):
            Check.recording.failure(
                Text("the microphone cannot be recorded: \(reason)"),
                cure: .command("pactl list sources | grep -E 'Name:|State:|Mute:'")
            )
        }
    }
}
