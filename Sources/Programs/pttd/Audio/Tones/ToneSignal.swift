import Glibc
import PTTCore

/// A tone of ours: notes of one pitch and pauses, 48 kHz mono.
struct ToneSignal: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        /// In hertz and milliseconds.
        case note(Double, Int)
        /// In milliseconds.
        case pause(Int)
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
            case .talkPermit: [.note(880, 35), .note(1320, 45)]
            case .latched: [.note(1175, 30), .pause(20), .note(1865, 50)]
            case .end: [.note(660, 90)]
            case .denied: [.note(330, 140), .pause(60), .note(330, 140)]
            case .busy: [.note(466, 60), .pause(50), .note(466, 60), .pause(50), .note(466, 60)]
            case .timeLimitNear: [.note(1568, 30), .pause(40), .note(1568, 30)]
            case .timeLimitReached: [.note(1047, 90), .note(784, 90), .note(523, 120)]
            case .accessoryLost: [.note(740, 70), .note(494, 70), .note(740, 70), .note(494, 70)]
            case .batteryLow: [.note(988, 60), .pause(140), .note(415, 60)]
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
