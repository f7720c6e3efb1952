import PTTCore
import PTTMessages
import TestSupport
import Testing

@Suite struct ScenarioTests {
    @Test(arguments: try Scenario.all())
    func `the events of a scenario lead to its effects`(_ scenario: Scenario) throws {
        var session = TalkSession(
            timeLimit: scenario.timeLimit,
            whileLocked: scenario.whileLocked,
            emergencyDuringCalls: scenario.emergencyDuringCalls
        )
        var observer = Observer(session)
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

    /// Those rows of the behaviour table and proofs in `pushtotalk-semantics` that the core alone implements. The library,
    /// the daemon's streams, and what calls and tones are in the world, are tested elsewhere.
    @Test func `every row that concerns the core has a scenario`() throws {
        let proofs = try Scenario.all().map(\.file.proof).joined(separator: " ")
        let rows = Set(proofs.matches(of: /row (\d+)/).compactMap { Int($0.1) })
        let proved = Set(proofs.matches(of: /proof (\d+)/).compactMap { Int($0.1) })
        // Whether a call that only rings counts is the watching of calls.
        let ringing = [42]
        let library = [2, 50]
        #expect(Set(1...50).subtracting(rows) == Set(ringing + library))
        let expected =
            [3, 4] + Array(5...21) + Array(23...37) + Array(40...57) + [60, 61, 62, 63, 66, 68, 77]
        #expect(Set(expected).subtracting(proved).isEmpty)
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
