import AccessoryCore
import Glibc
import PTTMessages
import Testing

@Suite struct LearningTests {
    @Test(arguments: SimulatedButton.shapes.map(\.name))
    func `the shapes of the evidence are learned`(_ name: String) throws {
        for seed in 0..<20 {
            let button = try #require(SimulatedButton.shapes.first { $0.name == name })
            let outcome = LearningOutcome(button, .attentive, seed: UInt64(seed))
            #expect(outcome.failure == (button.pattern == .nothing ? .contact : nil), "seed \(seed)")
            #expect(outcome.mistakes == [], "seed \(seed)")
        }
    }

    @Test func `random buttons that behave well are learned`() {
        var random = SeededGenerator(9)
        for seed in 0..<100 {
            let button = SimulatedButton.wellBehaved(&random)
            let outcome = LearningOutcome(button, .attentive, seed: UInt64(seed))
            #expect(outcome.failure == nil, "\(button.name), seed \(seed)")
            #expect(outcome.mistakes == [], "\(button.name), seed \(seed)")
        }
    }

    /// PTT_LEARNING_CASES=100000 takes four minutes, or one in a release build.
    @Test func `no random button is learned wrong, whatever the person does`() {
        let count = getenv("PTT_LEARNING_CASES").flatMap { UInt64(String(cString: $0)) } ?? 1000
        var learned = 0
        for seed in 0..<count {
            var random = SeededGenerator(seed)
            let button = SimulatedButton.random(&random)
            let person =
                random.chance(0.6)
                ? .attentive : SimulatedPerson.allCases.randomElement(using: &random) ?? .slow
            // No analysis can tell a button that reports only its release from one that reports only its
            // press if the person never holds it.
            if button.name == "release only", person == .tapping { continue }
            let outcome = LearningOutcome(button, person, seed: seed)
            if outcome.learned != nil { learned += 1 }
            let facts = outcome.learned?.facts.map(\.description) ?? []
            #expect(outcome.mistakes == [], "seed \(seed): \(person), \(button.name), \(facts)")
        }
        #expect(learned > count / 3)
    }

    @Test func `a step that the person left out is named`() {
        let button = SimulatedButton("", .fixed(press: [.one], release: [.zero]), .held)
        let steps = (0..<40).compactMap { seed -> String? in
            LearningOutcome(button, .distracted, seed: seed).failure?.description
        }
        #expect(steps.count == 40)
        for number in [1, 2, 4, 5] {
            #expect(
                steps.contains(
                    "no press was received at step \(number) of 7 within a second of the request"
                )
            )
        }
        #expect(
            steps.contains("step 3 of 7 does not show two presses: press twice, a little more slowly")
        )
        #expect(
            steps.contains(
                "the verification failed: no press was received at step 6 of 7 within a second of the request"
            )
        )
    }

    @Test(
        arguments: [
            ([[0]], [[1]], LearningFailure.inverted),
            ([[5]], [[5]], .sameForBoth([5])),
            ([], [[1]], .onlyReleases),
            ([], [], .silent),
        ] as [([[UInt8]], [[UInt8]], LearningFailure)]
    )
    func `what cannot be a button for talking is named`(
        _ press: [[UInt8]],
        _ release: [[UInt8]],
        _ failure: LearningFailure
    ) {
        let edges = SimulatedButton.Edges.fixed(
            press: press.map { SimulatedButton.value($0) },
            release: release.map { SimulatedButton.value($0) }
        )
        let outcome = LearningOutcome(SimulatedButton("", edges, .nothing), .attentive, seed: 1)
        #expect(outcome.failure == failure)
    }

    @Test func `a heartbeat that may be a release or nothing is not guessed`() {
        var button = SimulatedButton("", .fixed(press: [.one], release: [.zero]), .held)
        button.heartbeats = [
            SimulatedButton.Heartbeat(
                value: .fixed(SimulatedButton.value([0x80])),
                attribute: SimulatedButton.attribute,
                period: .seconds(60),
                jitter: .zero
            )
        ]
        let failures = (0..<40).map { LearningOutcome(button, .attentive, seed: $0).failure }
        #expect(failures.contains(.unclearValue([0x80])))
    }

    @Test func `a person who does not hold the button fails with that reason`() {
        let button = SimulatedButton("", .fixed(press: [.one], release: [.zero]), .held)
        #expect(LearningOutcome(button, .tapping, seed: 3).failure == .shortPulses)
    }

    @Test func `a press that nobody asked for fails`() {
        let button = SimulatedButton("", .fixed(press: [.one], release: [.zero]), .held)
        let failures = Set((0..<20).compactMap { LearningOutcome(button, .impatient, seed: $0).failure })
        #expect(failures.isSubset(of: [.unaskedPress, .notVerified(.unaskedPress)]))
        #expect(!failures.isEmpty)
    }
}

/// The machine that asks and records.
@Suite struct LearnerTests {
    private let start = MonotonicTime(nanoseconds: 0)

    @Test func `a flood ends it, and nothing more is kept`() {
        var learner = Learner()
        _ = learner.handle(.ready, at: start)
        var effects: [Learner.Effect] = []
        for number in 0..<10_000 {
            effects += learner.handle(.received(.one), at: start + .milliseconds(number))
        }
        #expect(effects == [.failed(.flood)])
        var second = Learner()
        _ = second.handle(.ready, at: start)
        let long = SimulatedButton.value(Array(repeating: 1, count: 100_000))
        #expect(second.handle(.received(long), at: start) == [.failed(.flood)])
    }

    @Test func `the requests are two short holds, two long ones, a double press, and two to verify`() {
        let button = SimulatedButton("", .fixed(press: [.one], release: [.zero]), .held)
        var session = LearningSession(button, .attentive, seed: 1)
        guard case .success((_, let recording)) = session.run() else {
            Issue.record("not learned")
            return
        }
        let holds = recording.steps.map { step -> String in
            switch step.task {
            case .hold(let length): length < .seconds(2) ? "short" : "long"
            case .pressTwice: "double"
            }
        }
        #expect(holds == ["short", "long", "double", "short", "long", "long", "short"])
        #expect(recording.ended - recording.began < .seconds(60))
    }

    @Test func `nothing is asked before the accessory is ready`() {
        var learner = Learner()
        #expect(learner.handle(.timerFired, at: start) == [])
        #expect(learner.handle(.received(.zero), at: start) == [])
        let effects = learner.handle(.ready, at: start + .seconds(1))
        #expect(effects.first == .show(.leaveAlone(.seconds(4))))
    }

    @Test func `the button of a jack toggles, because it shorts the microphone`() throws {
        let button = SimulatedButton(
            "",
            .fixed(press: [.key(164, isPressed: true)], release: [.key(164, isPressed: false)]),
            .held
        )
        var session = LearningSession(button, .attentive, seed: 1)
        let (learned, _) = try session.run(transport: .jack).get()
        #expect(learned.gesture.mode == .toggle)
        #expect(learned.facts.first == .shortsMicrophone)
    }
}

extension LearningFrame.Content {
    fileprivate static let one = SimulatedButton.value([1])
    fileprivate static let zero = SimulatedButton.value([0])
}
