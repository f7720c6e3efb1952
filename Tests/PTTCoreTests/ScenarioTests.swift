import PTTCore
import PTTMessages
import TestSupport
import Testing

@Suite struct ScenarioTests {
    @Test(arguments: try Scenario.all())
    func `what happened leads to what the file says`(_ scenario: Scenario) throws {
        var session = TalkSession(timeLimit: scenario.timeLimit)
        var observer = Observer(session)
        var lines: [String] = []
        for step in scenario.steps {
            let (effects, violation) = observer.run(step.event, at: step.time, in: &session)
            if let violation { Issue.record("\(step.time) \(step.event): \(violation)") }
            lines += effects.map { "\(step.time) \($0)" }
        }
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

    @Test func `every file says what it proves`() throws {
        let scenarios = try Scenario.all()
        #expect(scenarios.count >= 15)
        for scenario in scenarios {
            #expect(!scenario.file.proof.isEmpty, "\(scenario)")
            #expect(!scenario.expected.isEmpty, "\(scenario)")
        }
    }

    @Test(arguments: Alphabet.events)
    func `an event reads back as it was printed`(_ event: TalkSession.Event) throws {
        var words = try TraceWords("\(event)")
        #expect(try words.event() == event)
    }

    @Test func `a name from outside cannot forge a line`() throws {
        let event = TalkSession.Event.descriptorRequested(
            RequestID(rawValue: 1),
            ClientID(rawValue: 1),
            .init(channelID: nil, name: "a\" \\ b\n1s shuttingDown\u{2028}x\r\n")
        )
        let line = "\(event)"
        #expect(!line.contains { $0.isNewline })
        var words = try TraceWords(line)
        #expect(
            try words.event()
                == .descriptorRequested(
                    RequestID(rawValue: 1),
                    ClientID(rawValue: 1),
                    .init(channelID: nil, name: "a\" \\ b?1s shuttingDown?x??")
                )
        )
    }
}
