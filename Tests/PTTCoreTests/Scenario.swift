import PTTCore
import PTTMessages
import TestSupport

/// Events and the effects that must follow: a ``TraceFile`` whose settings are `limit`, the time limit,
/// `lag`, the lag of releases, `whileLocked`, `emergencyDuringCalls`, and `sessionUnknown`: nobody has said
/// yet whether the session is active and its screen locked.
struct Scenario: CustomStringConvertible, Sendable {
    struct Step: Sendable {
        let time: MonotonicTime
        let event: TalkSession.Event
    }

    let file: TraceFile
    let timeLimit: Duration
    let releaseLag: Duration
    let whileLocked: TalkSession.WhileLocked
    let emergencyDuringCalls: Bool
    let isSessionKnown: Bool
    let steps: [Step]
    let expected: [String]

    var description: String { file.name }

    static func all() throws -> [Scenario] {
        try DataFile.all(in: "Scenarios", beside: #filePath).map { try Scenario(TraceFile($0)) }
    }

    /// Rewrites the file, with its own events and the effects of each.
    func record(_ effects: [[String]]) throws {
        let all = try DataFile.all(in: "Scenarios", beside: #filePath)
        let text = all.first { $0.name == file.name }?.text ?? ""
        var effects = effects[...]
        var lines: [String] = []
        for line in text.split(separator: "\n") {
            if !Self.isTimed(line) {
                // A setting, or a comment.
                lines.append(String(line))
            } else if try TalkSession.Event(trace: Self.withoutTime(line)) != nil {
                lines.append(String(line))
                lines += (effects.popFirst() ?? []).map { "  \($0)" }
            }
        }
        try Recording.write(lines, to: "Scenarios", file.name)
    }

    init(_ file: TraceFile) throws {
        self.file = file
        var timeLimit = Duration.seconds(60)
        var releaseLag = Duration.zero
        var whileLocked = TalkSession.WhileLocked.allow
        var emergencyDuringCalls = false
        var isSessionKnown = true
        for var words in file.settings {
            switch try words.next() {
            case "limit": timeLimit = try words.time()
            case "lag": releaseLag = try words.time()
            case "whileLocked":
                whileLocked = try words.next("answer to a locked screen") { .init(rawValue: $0) }
            case "emergencyDuringCalls": emergencyDuringCalls = true
            case "sessionUnknown": isSessionKnown = false
            default: throw TraceWords.Failure("\(file.name) sets something unknown")
            }
        }
        self.timeLimit = timeLimit
        self.releaseLag = releaseLag
        self.whileLocked = whileLocked
        self.emergencyDuringCalls = emergencyDuringCalls
        self.isSessionKnown = isSessionKnown
        var steps: [Step] = []
        var expected: [String] = []
        for line in file.lines {
            if let event = try TalkSession.Event(trace: Self.withoutTime(line.text)) {
                steps.append(Step(time: MonotonicTime(nanoseconds: 0) + line.time, event: event))
            } else {
                expected.append(line.text)
            }
        }
        self.steps = steps
        self.expected = expected
    }

    private static func isTimed(_ line: Substring) -> Bool {
        guard !line.hasPrefix("#"), var words = try? TraceWords(line) else { return false }
        return (try? words.time()) != nil
    }

    private static func withoutTime(_ line: some StringProtocol) -> Substring {
        Substring(line).drop { $0 == " " }.drop { $0 != " " }
    }
}
