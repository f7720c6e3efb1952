import CoreConfiguration
import PTTCore
import WAV

/// The samples that are played for each tone: 48 kHz mono.
struct ToneSounds {
    /// The longest file, and how long a person waits at most for the talk permit tone to end.
    static let longest = Duration.seconds(2)

    let gate: ToneGate
    private let samples: [Tone: [Int16]]

    /// - Parameters:
    ///   - configuration: The person's wishes; our own tones where it says nothing.
    ///   - failed: Called for each file that cannot be used, and is replaced by our own tone, with the
    ///     reason.
    init(_ configuration: Configuration.Tones?, failed: (String) -> Void) {
        gate = configuration?.gate.flatMap(ToneGate.init) ?? .auto
        let isEnabled = configuration?.enabled ?? true
        samples = isEnabled ? Self.samples(configuration?.files ?? [:], failed) : [:]
    }

    /// True if any tone is played.
    var areAudible: Bool { samples.values.contains { !$0.isEmpty } }

    /// Empty if the tone is silenced.
    subscript(tone: Tone) -> [Int16] { samples[tone] ?? [] }

    private static func samples(_ files: [Tone: String], _ failed: (String) -> Void) -> [Tone: [Int16]] {
        var samples: [Tone: [Int16]] = [:]
        for tone in Tone.allCases where files[tone] != "" {
            samples[tone] = ToneSignal(tone).samples
            guard let path = files[tone] else { continue }
            do throws(WAVError) {
                samples[tone] = try WAVSound(reading: path, longest: longest).mono(rate: ToneSignal.rate)
            } catch {
                failed(
                    "\(Configuration.Tones.key(tone)): \(error). The tone of this program is played instead"
                )
            }
        }
        return samples
    }
}
