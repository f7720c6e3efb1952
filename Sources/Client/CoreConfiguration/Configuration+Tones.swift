import JSON
package import PTTCore

extension Configuration {
    /// The table `[tones]`.
    package struct Tones: Equatable, Decodable {
        /// False for no tones at all.
        package let enabled: Bool?
        /// A ``ToneGate``.
        package let gate: String?
        /// WAV files that replace tones; empty for a tone that is not played.
        package private(set) var files: [Tone: String] = [:]

        package init(from decoder: any Decoder) throws {
            let table = try decoder.container(keyedBy: JSON.Step.self)
            enabled = try table.decodeIfPresent(Bool.self, forKey: "enabled")
            gate = try table.decodeIfPresent(String.self, forKey: "gate")
            for tone in Tone.allCases {
                files[tone] = try table.decodeIfPresent(String.self, forKey: .key(Self.key(tone)))
            }
        }

        /// The name of a tone in the file: `time-limit-near`.
        package static func key(_ tone: Tone) -> String {
            tone.rawValue.reduce(into: "") { name, letter in
                name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
            }
        }
    }

    /// The key `microphone`: one source or several, in order of preference, by name or description.
    package struct Microphones: Equatable, Decodable {
        package let names: [String]

        package init(from decoder: any Decoder) throws {
            // `try?`: what is no string is decoded as a list, whose error says what it is instead.
            if let name = try? decoder.singleValueContainer().decode(String.self) {
                names = [name]
            } else {
                names = try [String](from: decoder)
            }
        }
    }
}

/// The condition under which a microphone waits until the talk permit tone cannot be captured any more.
package enum ToneGate: String, CaseIterable, Sendable {
    /// Unless the speaker is a headset, which no microphone hears.
    case auto
    case on
    case off
}
