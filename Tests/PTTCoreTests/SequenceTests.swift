import PTTCore
import PTTMessages
import Testing

@Suite struct SequenceTests {
    @Test(arguments: TestEvents.fewer)
    func `no sequence of four events violates an invariant`(_ first: TalkSession.Event) {
        var steps = 0
        var session = TalkSession(timeLimit: .seconds(25))
        var observer = Observer(session)
        let violation =
            observer.run(first, at: .seconds(60), in: &session).violation
            ?? explore(session, observer, after: [first], events: TestEvents.fewer, depth: 3, steps: &steps)
        #expect(violation == nil)
        #expect(steps > 17_000)
    }

    @Test(arguments: InitialState.allCases)
    func `no sequence of two events violates an invariant from any state`(_ initialState: InitialState) {
        var steps = 0
        let (session, observer, _) = initialState.reach()
        let later = explore(session, observer, after: [], events: TestEvents.events, depth: 2, steps: &steps)
        #expect(later == nil)
        #expect(steps > 5000)
    }

    /// Otherwise an emergency could leave the microphone open longer than a talk does. Only the release of
    /// the one button or the other, by its name, and another emergency differ.
    @Test func `whatever closes the microphone of a talk closes that of an emergency`() {
        let (talk, talkObserver, _) = InitialState.active.reach()
        let (emergency, emergencyObserver, _) = InitialState.emergency.reach()
        var count = 0
        for (label, event) in TestEvents.labelled
        where label != "the button's talk button is released" && !label.hasSuffix("begins an emergency") {
            for second in [1, 59, 60] {
                var (talk, talkObserver) = (talk, talkObserver)
                var (emergency, emergencyObserver) = (emergency, emergencyObserver)
                _ = talkObserver.run(event, at: .seconds(second), in: &talk)
                _ = emergencyObserver.run(event, at: .seconds(second), in: &emergency)
                guard talkObserver.openCapture == nil else { continue }
                #expect(emergencyObserver.openCapture == nil, "\(label)")
                count += 1
            }
        }
        #expect(count > 50)
    }

    /// A person is promised that the microphone closes soon after the release, whatever happens meanwhile.
    @Test func `whatever closes the microphone of a talk closes it while a release lags`() {
        let (talk, talkObserver, _) = InitialState.active.reach()
        let (released, releasedObserver, _) = InitialState.released.reach()
        #expect(releasedObserver.openCapture != nil)
        var count = 0
        for (label, event) in TestEvents.labelled {
            var (talk, talkObserver) = (talk, talkObserver)
            var (released, releasedObserver) = (released, releasedObserver)
            let capture = releasedObserver.openCapture
            _ = talkObserver.run(event, at: .seconds(0), in: &talk)
            _ = releasedObserver.run(event, at: .seconds(0), in: &released)
            guard talkObserver.openCapture == nil else { continue }
            #expect(releasedObserver.openCapture != capture, "\(label)")
            count += 1
        }
        #expect(count > 20)
    }

    /// Events come 10 s after each other, so that the warning and the limit fall between them. Returns the
    /// first violation.
    private func explore(
        _ session: TalkSession,
        _ observer: Observer,
        after past: [TalkSession.Event],
        events: [TalkSession.Event],
        depth: Int,
        steps: inout Int
    ) -> String? {
        for event in events {
            var (session, observer) = (session, observer)
            let past = past + [event]
            let (_, violation) = observer.run(event, at: .seconds(60 + 10 * past.count), in: &session)
            steps += 1
            if let violation {
                return "\(violation), after:\n\(past.map { "\($0)" }.joined(separator: "\n"))"
            }
            guard depth > 1 else { continue }
            if let violation = explore(
                session,
                observer,
                after: past,
                events: events,
                depth: depth - 1,
                steps: &steps
            ) {
                return violation
            }
        }
        return nil
    }
}
