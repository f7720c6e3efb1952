import CBaseline
import EventLoop
import Glibc

/// The clients of a sound server in C (baseline.h), each a process of this program.
enum BaselineSound: String {
    case capture = "baseline-capture"
    case captureSound = "baseline-capture-sound"
    case play = "baseline-play"
    case listen = "baseline-listen"
    case compare = "baseline-compare"
    case copy = "baseline-copy"
    case microphone = "baseline-microphone"

    /// The word that it writes in answer to a request.
    var answer: String {
        switch self {
        case .capture, .captureSound: "captured"
        case .play: "played"
        case .copy: "copies"
        case .listen, .compare, .microphone: ""
        }
    }

    /// - Returns: The status to exit with.
    func run(_ arguments: [String]) -> Int32 {
        let (first, second) = (arguments.first ?? "", arguments.dropFirst().first ?? "")
        return switch self {
        case .capture: baseline_capture(first, Int32(second) ?? 0, 0)
        case .captureSound: baseline_capture(first, Int32(second) ?? 0, 1)
        case .play: baseline_play(first, Int32(second) ?? 0)
        case .listen: baseline_listen(first, Int32(second) ?? 0)
        case .compare: Self.compare(Int32(first) ?? 0, Array(arguments.dropFirst()))
        case .copy: baseline_copy(first, second)
        case .microphone: baseline_microphone(first, second)
        }
    }

    private static func compare(_ milliseconds: Int32, _ sources: [String]) -> Int32 {
        // They stay as long as the process.
        let names = sources.map { strdup($0) }
        return baseline_compare(milliseconds, Int32(names.count), names)
    }
}
