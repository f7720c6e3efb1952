import PTTCore
import PTTMessages
import TestSupport

/// What a session must decide: a ``TraceFile`` whose only setting is `limit`, the time limit.
struct Scenario: CustomStringConvertible, Sendable {
    struct Step: Sendable {
        let time: MonotonicTime
        let event: TalkSession.Event
    }

    let file: TraceFile
    let timeLimit: Duration
    let steps: [Step]
    let expected: [String]

    var description: String { file.name }

    static func all() throws -> [Scenario] {
        try DataFile.all(in: "Scenarios", beside: #filePath).map { try Scenario(TraceFile($0)) }
    }

    init(_ file: TraceFile) throws {
        self.file = file
        var timeLimit = Duration.seconds(60)
        for var words in file.settings {
            guard try words.next() == "limit" else {
                throw TraceWords.Failure("\(file.name) sets something unknown")
            }
            timeLimit = try words.time()
        }
        self.timeLimit = timeLimit
        var steps: [Step] = []
        var expected: [String] = []
        for line in file.lines {
            var words = line.words
            if let event = try words.event() {
                steps.append(Step(time: MonotonicTime(nanoseconds: 0) + line.time, event: event))
            } else {
                expected.append(line.text)
            }
        }
        self.steps = steps
        self.expected = expected
    }
}
