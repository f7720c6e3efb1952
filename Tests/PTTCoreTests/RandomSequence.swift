import PTTMessages
import TestSupport

@testable import PTTCore

/// Random sequences of events, chosen so that many of them have effects.
enum RandomSequence {
    struct Fault: Error {
        let sequence: EventSequence
    }

    static func run(_ random: inout SplitMix) -> Result<Model, Fault> {
        let whileLocked = random.pick([TalkSession.WhileLocked.allow, .allow, .refuse])
        let releaseLag = random.pick([Duration.zero, .milliseconds(100), .milliseconds(300)])
        var sequence = EventSequence(whileLocked: whileLocked, releaseLag: releaseLag)
        sequence.isSessionKnown = Int.random(in: 0..<8, using: &random) > 0
        var comparison = sequence.start
        var time = MonotonicTime.seconds(0)
        if Bool.random(using: &random) {
            if Int.random(in: 0..<8, using: &random) == 0 {
                sequence.steps.append(.init(time: time, event: random.pick(policies)))
            }
            sequence.steps.append(.init(time: time, event: random.pick(restorations)))
        }
        for step in sequence.steps where EventSequence.run(step, &comparison) != nil {
            return .failure(Fault(sequence: sequence))
        }
        for _ in 0..<1000 {
            // Some of the events come while a release lags.
            time = time + .milliseconds(random.pick([0, 100, 1000, 2000, 3000]))
            let step = EventSequence.Step(time: time, event: draw(&random, comparison.model))
            sequence.steps.append(step)
            if EventSequence.run(step, &comparison) != nil { return .failure(Fault(sequence: sequence)) }
        }
        return .success(comparison.model)
    }

    private static let policies = TestEvents.events.filter { event in
        if case .policyChanged = event { true } else { false }
    }

    private static let restorations: [TalkSession.Event] = [
        .restored(saved(TestEvents.activation, .fullDuplex), descriptor: nil),
        .restored(saved(nil, .halfDuplex), descriptor: nil),
        .restored(saved(TestEvents.activation, .listenOnly), descriptor: Descriptor(name: "Ops", image: nil)),
    ]

    private static func saved(_ activation: Activation?, _ mode: TransmissionMode) -> SavedChannel {
        SavedChannel(
            channelID: TestEvents.channel,
            owner: Owner(identifier: TestEvents.radioID, name: "Radio", activation: activation),
            pushToken: TestEvents.radioToken,
            transmissionMode: mode,
            areAccessoryEventsEnabled: mode == .fullDuplex
        )
    }

    private static func draw(_ random: inout SplitMix, _ model: Model) -> TalkSession.Event {
        // A late event of a stream, a start or a push that is over.
        let late = Int.random(in: 0...3, using: &random) == 0 ? 1 : 0
        let radio = model.channel?.running?.client ?? random.pick(TestEvents.radios)
        switch Int.random(in: 0..<100, using: &random) {
        case 0...3: return .audioServerReady
        case 4...5: return .systemResumed
        case 6: return random.pick([.callChanged(nil), .callChanged(nil), .sessionActive, TestEvents.call])
        case 7: return .sessionUnlocked
        case 8: return .sessionActive
        case 9: return random.pick([.audioConnectionReady(radio), .audioConnectionLost(radio)])
        case 10...11: return .policyChanged(Policy())
        case 12: return random.pick(policies)
        case 13...16: return .captureStarted(CaptureID(rawValue: model.counts.transmissions - late))
        case 17: return .gateOpened(CaptureID(rawValue: model.counts.transmissions - late))
        case 18:
            return .captureFailed(CaptureID(rawValue: model.counts.transmissions - late), .microphoneLost)
        case 19...22: return .playbackStarted(PlaybackID(rawValue: model.counts.playbacks - late))
        case 23:
            let playback = PlaybackID(rawValue: model.counts.playbacks - late)
            let failure = TalkSession.Event.playbackFailed(playback, .speakerLost, reason: "no sink")
            return random.pick([failure, .speakerReturned])
        case 24:
            return .applicationStartFailed(StartID(rawValue: model.counts.starts - late), reason: "")
        case 25...29: return attach(&random, radio)
        case 30...31: return .clientDisconnected(radio)
        case 32...36: return push(&random, model)
        case 37...41: return finish(&random, model, by: radio, late: late)
        case 42:
            return random.pick([
                TestEvents.record(), TestEvents.record(role: .emergency),
                TestEvents.record(TestEvents.headset, by: TestEvents.accessoryd),
                TestEvents.end(TestEvents.button, by: TestEvents.recorder, .released, role: .secondTalk),
            ])
        case 43...48:
            return TestEvents.begin(
                random.pick([TestEvents.button, TestEvents.headset]),
                by: random.pick([TestEvents.accessoryd, TestEvents.commandLine]),
                role: random.pick([.talk, .talk, .emergency, .secondTalk])
            )
        case 49 where Bool.random(using: &random):
            return random.pick([TestEvents.recorded, .virtualMicrophoneChanged(.idle)])
        case 49:
            return TestEvents.begin(TestEvents.radioItself, by: radio, .developerRequest)
        case 50...52:
            return random.pick([
                TestEvents.status(.ready, by: radio), TestEvents.mode(.fullDuplex, by: radio),
                TestEvents.foreground(true, by: radio),
            ])
        case 53 where Bool.random(using: &random):
            return TestEvents.latch(
                TestEvents.button,
                role: random.pick([.talk, .talk, .emergency, .secondTalk])
            )
        case 53...56:
            return TestEvents.end(
                random.pick([TestEvents.button, TestEvents.headset]),
                role: random.pick([nil, nil, .talk, .emergency])
            )
        case 57...59:
            return TestEvents.speaker(random.pick([TestEvents.ann, TestEvents.bob, nil]), by: radio)
        default:
            // Nothing follows a shutdown, so it is rare.
            let event = random.pick(TestEvents.events)
            switch event {
            case .shuttingDown: return Int.random(in: 0..<50, using: &random) > 0 ? .timerFired : event
            case .policyChanged: return .policyChanged(Policy())
            case .callChanged: return .callChanged(nil)
            case .sessionInactive: return random.pick([.sessionActive, .sessionActive, event])
            default: return event
            }
        }
    }

    private static func attach(_ random: inout SplitMix, _ radio: ClientID) -> TalkSession.Event {
        random.pick([
            TestEvents.attachRadio(), TestEvents.attachRadio(TestEvents.secondRadio, TestEvents.secondToken),
            TestEvents.attachRadio(TestEvents.radioAgain, TestEvents.tokenAgain), TestEvents.join(radio),
            TestEvents.join(radio),
        ])
    }

    private static func push(_ random: inout SplitMix, _ model: Model) -> TalkSession.Event {
        let owner = model.channel?.ownerID ?? TestEvents.radioID
        return TestEvents.push(
            model.channel?.token ?? TestEvents.radioToken,
            to: Int.random(in: 0..<4, using: &random) == 0 ? TestEvents.radioID : owner,
            isServiceUpdate: Bool.random(using: &random),
            priority: 10
        )
    }

    private static func finish(
        _ random: inout SplitMix,
        _ model: Model,
        by radio: ClientID,
        late: Int
    ) -> TalkSession.Event {
        let id = model.channel?.running?.pushes.first?.id ?? model.counts.pushes
        return random.pick([
            TestEvents.finish(
                id - late,
                .activeRemoteParticipant,
                set: TestEvents.ann,
                ends: late == 1,
                by: radio
            ),
            TestEvents.finish(id, .activeRemoteParticipant, set: TestEvents.bob, ends: true, by: radio),
            TestEvents.finish(id, .processed, by: radio), TestEvents.finish(id, .leaveChannel, by: radio),
        ])
    }
}

extension SplitMix {
    fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
