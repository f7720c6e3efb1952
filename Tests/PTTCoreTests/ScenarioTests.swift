import PTTCore
import PTTMessages
import TestSupport
import Testing

@Suite struct ScenarioTests {
    @Test(arguments: try Scenario.all())
    func `the events of a scenario lead to its effects`(_ scenario: Scenario) throws {
        var session = TalkSession(
            timeLimit: scenario.timeLimit,
            releaseLag: scenario.releaseLag,
            whileLocked: scenario.whileLocked,
            emergencyDuringCalls: scenario.emergencyDuringCalls,
            isSessionKnown: scenario.isSessionKnown
        )
        var observer = Observer(session, isSessionKnown: scenario.isSessionKnown)
        var lines: [String] = []
        var blocks: [[String]] = []
        for step in scenario.steps {
            let (effects, violation) = observer.run(step.event, at: step.time, in: &session)
            if let violation { Issue.record("\(step.time) \(step.event): \(violation)") }
            blocks.append(effects.map { "\(step.time) \($0)" })
            lines += blocks[blocks.count - 1]
        }
        if Recording.isWanted { return try scenario.record(blocks) }
        let difference = lines.difference(from: scenario.expected)
        let changes = difference.map { change in
            switch change {
            case .remove(_, let line, _): "missing: \(line)"
            case .insert(_, let line, _): "too much: \(line)"
            }
        }
        #expect(
            lines == scenario.expected,
            "\(scenario.file.proof)\n\(changes.joined(separator: "\n"))\n\nall:\n\(lines.joined(separator: "\n"))"
        )
    }

    @Test func `every scenario says what it proves`() throws {
        let scenarios = try Scenario.all()
        #expect(scenarios.count >= 90)
        for scenario in scenarios {
            #expect(!scenario.file.proof.isEmpty, "\(scenario)")
            #expect(!scenario.expected.isEmpty, "\(scenario)")
        }
    }

    /// The rules of `Documentation/Semantics.md` that the core does not implement, or not alone: the library
    /// and the accessories have tests of their own, and the order of the reasons is compared with the
    /// model's.
    private static let elsewhere: Set = [
        "The states",
        "The order of callbacks",
        "The error codes",
        "One manager for each process",
        "The queue of callbacks",
        "A crash of the core",
        "The microphone outside a transmission",
        "The order of reasons",
        "The session belongs to the system",
        "Toggle and hold",
        "The symbols",
        "Raw values",
        "Errors in each idiom",
        "Clients in each idiom",
        "Optional delegate methods",
    ]

    @Test func `every rule of the core has a scenario`() throws {
        let pages = try DataFile.all(in: "../../Documentation", beside: #filePath, extension: "md")
        let page = try #require(pages.first { $0.name == "Semantics.md" })
        let headings = page.text.split(separator: "\n").filter { $0.hasPrefix("### ") }
        let rules = Set(headings.map { String($0.dropFirst(4)) })
        let proofs = try Scenario.all().map(\.file.proof).joined(separator: " ")
        let proved = Set(proofs.matches(of: /“([^”]+)”/).map { String($0.1) })
        #expect(rules.subtracting(proved) == Self.elsewhere)
    }

    @Test(arguments: TestEvents.events)
    func `an event is parsed as it was printed`(_ event: TalkSession.Event) throws {
        #expect(try TalkSession.Event(trace: "\(event)") == event)
    }

    @Test(arguments: ["a\" \\ b\n1s shuttingDown\u{2028}x\r\n", ")) 1s shuttingDown", "", "(", "name"])
    func `a name from outside cannot forge a line`(_ name: String) throws {
        let line = "\(TestEvents.describe(name, by: TestEvents.radio))"
        #expect(!line.contains { $0.isNewline })
        let scalars = name.unicodeScalars.map { Character($0).isNewline ? "?" : $0 }
        let read = String(String.UnicodeScalarView(scalars))
        #expect(try TalkSession.Event(trace: line) == TestEvents.describe(read, by: TestEvents.radio))
    }

    @Test func `a trace gives away neither a payload nor a push token`() {
        let request = PushInterface.SendRequest(
            token: PushToken(rawValue: "\n1s \"secret"),
            topic: "secrecy",
            type: "pushtotalk",
            priority: 10,
            expiration: 0,
            payload: "a secret"
        )
        let envelope = PushEnvelope(request: request, content: .readable(isServiceUpdate: false), arrived: 0)
        let line = "\(TalkSession.Event.pushSent(TestEvents.request, envelope))"
        #expect(!line.contains("secret") && !line.contains { $0.isNewline })
        #expect(line.contains("payload 8"))
    }
}
