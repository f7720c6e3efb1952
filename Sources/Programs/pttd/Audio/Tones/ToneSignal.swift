import Glibc
import PTTCore

/// A tone of ours: notes of one pitch and pauses, 48 kHz mono.
struct ToneSignal: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case note(hertz: Double, milliseconds: Int)
        case pause(milliseconds: Int)
    }

    let parts: [Part]

    static let rate = 48_000
    /// -20 dB of full scale, whatever is heard beside it.
    static let peak = 3277.0
    /// Each note swells and fades this long, as half a cosine: a sudden edge would be heard as a click.
    static let fade = 5

    /// Told apart by rhythm and direction: rising means speak, falling or low that something has ended or
    /// failed, repeated notes are a warning. The talk permit tone is the shortest, because a person waits for
    /// its end.
    init(_ tone: Tone) {
        parts =
            switch tone {
            case .talkPermit:
                [.note(hertz: 880, milliseconds: 35), .note(hertz: 1320, milliseconds: 45)]
            case .latched:
                [
                    .note(hertz: 1175, milliseconds: 30), .pause(milliseconds: 20),
                    .note(hertz: 1865, milliseconds: 50),
                ]
            case .end:
                [.note(hertz: 660, milliseconds: 90)]
            case .denied:
                [
                    .note(hertz: 330, milliseconds: 140), .pause(milliseconds: 60),
                    .note(hertz: 330, milliseconds: 140),
                ]
            case .busy:
                [
                    .note(hertz: 466, milliseconds: 60), .pause(milliseconds: 50),
                    .note(hertz: 466, milliseconds: 60), .pause(milliseconds: 50),
                    .note(hertz: 466, milliseconds: 60),
                ]
            case .timeLimitNear:
                [
                    .note(hertz: 1568, milliseconds: 30), .pause(milliseconds: 40),
                    .note(hertz: 1568, milliseconds: 30),
                ]
            case .timeLimitReached:
                [
                    .note(hertz: 1047, milliseconds: 90), .note(hertz: 784, milliseconds: 90),
                    .note(hertz: 523, milliseconds: 120),
                ]
            case .accessoryLost:
                [
                    .note(hertz: 740, milliseconds: 70), .note(hertz: 494, milliseconds: 70),
                    .note(hertz: 740, milliseconds: 70), .note(hertz: 494, milliseconds: 70),
                ]
            case .batteryLow:
                [
                    .note(hertz: 988, milliseconds: 60), .pause(milliseconds: 140),
                    .note(hertz: 415, milliseconds: 60),
                ]
            }
    }

    var samples: [Int16] {
        parts.flatMap { part in
            switch part {
            case .note(let hertz, let milliseconds): Self.note(hertz, milliseconds)
            case .pause(let milliseconds): [Int16](repeating: 0, count: Self.count(milliseconds))
            }
        }
    }

    private static func note(_ hertz: Double, _ milliseconds: Int) -> [Int16] {
        let (count, fade) = (count(milliseconds), count(fade))
        return (0..<count).map { index in
            let edge = Double(min(index, count - 1 - index, fade)) / Double(fade)
            let envelope = (1 - cos(.pi * edge)) / 2
            return Int16(peak * envelope * sin(2 * .pi * hertz * Double(index) / Double(rate)))
        }
    }

    private static func count(_ milliseconds: Int) -> Int { milliseconds * rate / 1000 }
}
