import Foundation
import PTTCore
import PTTMessages
import Testing

@Suite struct ModelTests {
    /// 250 lives of the core with 1000 events each, four times. A failure names its seed; `PTT_SEED` runs it again.
    @Test(arguments: 0..<4)
    func `a long life of random events goes as the model says`(_ part: Int) {
        let given = ProcessInfo.processInfo.environment["PTT_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("PTT_SEED=\(seed)")
        var random = SplitMix(state: seed)
        var transmissions = 0
        var pushes = 0
        for run in 0..<250 {
            guard let model = live(&random) else {
                Issue.record("PTT_SEED=\(seed), run \(run)")
                return
            }
            transmissions += model.transmissions
            pushes += model.pushCount
        }
        #expect(transmissions > 2000, "the events lead nowhere")
        #expect(pushes > 2000, "the events lead nowhere")
    }

    /// - Returns: The model in the end, or nil after a failure.
    private func live(_ random: inout SplitMix) -> Model? {
        var session = TalkSession(timeLimit: .seconds(Model.limit))
        var observer = Observer(session)
        var model = Model()
        var past: [TalkSession.Event] = []
        var second = 0
        for step in 0..<1000 {
            second += Int.random(in: 0...3, using: &random)
            var event = draw(&random, model)
            if step == 0, Bool.random(using: &random) { event = random.pick(restorations) }
            if let timer = observer.timer, timer <= .seconds(second) {
                event = .timerFired
                second = Int(timer.microseconds / 1_000_000)
            }
            past.append(event)
            let (effects, violation) = observer.run(event, at: .seconds(second), in: &session)
            let answers = model.take(event, at: second)
            if let difference = violation ?? compare(model, answers, observer.status, effects) {
                let last = past.suffix(40).map { "\($0)" }.joined(separator: "\n")
                let lines = effects.map { "  \($0)" }.joined(separator: "\n")
                Issue.record("\(difference), after:\n\(last)\nwith\n\(lines)")
                return nil
            }
        }
        return model
    }

    private let policies = Alphabet.events.filter { event in
        if case .policyChanged = event { true } else { false }
    }

    private let restorations: [TalkSession.Event] = [
        .restored(saved(Alphabet.activation, .fullDuplex), descriptor: nil),
        .restored(saved(nil, .halfDuplex), descriptor: nil),
        .restored(saved(Alphabet.activation, .listenOnly), descriptor: Descriptor(name: "Ops", image: nil)),
    ]

    private static func saved(_ activation: Activation?, _ mode: TransmissionMode) -> SavedChannel {
        SavedChannel(
            channelID: Alphabet.channel,
            owner: Owner(identifier: Alphabet.radioID, name: "Radio", activation: activation),
            pushToken: Alphabet.radioToken,
            transmissionMode: mode,
            areAccessoryEventsEnabled: mode == .fullDuplex
        )
    }

    private func draw(_ random: inout SplitMix, _ model: Model) -> TalkSession.Event {
        let back = Int.random(in: 0...3, using: &random) == 0 ? 1 : 0
        switch Int.random(in: 0..<100, using: &random) {
        case 0...4: return .audioServerReady
        case 5...7: return .systemResumed
        case 8: return .sessionUnlocked
        case 9: return .sessionActive
        case 10...11: return .policyChanged(Policy())
        case 12: return random.pick(policies)
        case 13...18: return .captureStarted(CaptureID(rawValue: model.transmissions - back))
        case 19: return .captureFailed(CaptureID(rawValue: model.transmissions - back), .microphoneLost)
        case 20...24: return .playbackStarted(PlaybackID(rawValue: model.playbacks - back))
        case 25:
            return .playbackFailed(PlaybackID(rawValue: model.playbacks - back), .speakerLost, reason: "")
        case 26...31: return random.pick([Alphabet.attachRadio(), Alphabet.join(Alphabet.radio)])
        case 32...37: return push(&random, model)
        case 38...42: return finish(&random, model, back)
        case 43...50:
            return Alphabet.begin(
                random.pick([Alphabet.button, Alphabet.headset]),
                by: random.pick([Alphabet.bridge, Alphabet.commandLine])
            )
        case 51...53:
            return random.pick([
                Alphabet.status(.ready), Alphabet.mode(.fullDuplex),
                .foregroundRequested(Alphabet.request, Alphabet.radio, isForeground: true),
            ])
        case 54...57: return Alphabet.end(random.pick([Alphabet.button, Alphabet.headset]))
        default:
            // Shutting down is for good; let it be rare.
            let event = random.pick(Alphabet.events)
            switch event {
            case .shuttingDown: return Int.random(in: 0..<50, using: &random) > 0 ? .timerFired : event
            case .policyChanged: return .policyChanged(Policy())
            default: return event
            }
        }
    }

    private func push(_ random: inout SplitMix, _ model: Model) -> TalkSession.Event {
        Alphabet.push(
            model.channel?.token ?? Alphabet.radioToken,
            isServiceUpdate: Bool.random(using: &random),
            priority: 10
        )
    }

    private func finish(_ random: inout SplitMix, _ model: Model, _ back: Int) -> TalkSession.Event {
        let id = model.pushes.first?.id ?? model.pushCount
        return random.pick([
            Alphabet.finish(id - back, .activeRemoteParticipant, Alphabet.ann, ends: back == 1),
            Alphabet.finish(id, .activeRemoteParticipant, Alphabet.bob, ends: true),
            Alphabet.finish(id, .processed), Alphabet.finish(id, .leaveChannel),
        ])
    }

    private func compare(
        _ model: Model,
        _ answers: [String],
        _ status: Status,
        _ effects: [TalkSession.Effect]
    ) -> String? {
        var given: [String] = []
        var isStartOrdered = false
        var told: [Model.Told] = []
        var audioTold: [Model.Told] = []
        for effect in effects {
            switch effect {
            case .reply(_, let answer): given.append(brief(answer))
            case .publish(let event):
                switch event {
                case .audioActivating, .audioActivated, .audioDeactivated, .audioInterrupted,
                    .audioInterruptionEnded:
                    audioTold.append(brief(event))
                default: told.append(brief(event))
                }
            case .tell(let client, let event): told.append(.alone(client, event.kind))
            case .startApplication: isStartOrdered = true
            case .openCapture, .closeCapture, .openPlayback, .closePlayback, .deliverFrames, .stopFrames,
                .setTimer,
                .cancelTimer, .saveChannel, .saveDescriptor, .remark:
                break
            }
        }
        if given != answers { return "the answers are \(given), the model's are \(answers)" }
        if told != model.told { return "told is\n\(told)\nthe model's is\n\(model.told)" }
        if isStartOrdered != model.isStartOrdered { return "a start is ordered: \(isStartOrdered)" }
        if audioTold != model.audioTold { return "audio is \(audioTold), the model's is \(model.audioTold)" }
        return compare(model, status)
    }

    private func compare(_ model: Model, _ status: Status) -> String? {
        let channel = status.channel
        guard
            channel?.channelID == model.channel?.id,
            channel?.name == model.channel?.name,
            channel?.owner == model.channel?.owner,
            (channel?.application != nil) == (model.channel?.holder != nil),
            channel?.isApplicationStarting == model.channel.map({ $0.isStartingUntil != nil }),
            channel?.serviceStatus == model.channel?.status,
            channel?.transmissionMode == model.channel?.mode,
            channel?.areAccessoryEventsEnabled == model.channel?.hasButtons,
            channel?.participant?.name == model.channel?.speaker,
            status.transmission?.origin == model.talker?.origin,
            status.transmission?.source == model.talker?.source,
            status.audio == model.audio,
            status.isAudioServerReady == model.hasAudioServer
        else { return "the status is \(status), the model \(model)" }
        return nil
    }

    private func brief(_ answer: TalkSession.Answer) -> String {
        switch answer {
        case .joined: "joined"
        case .attached(_, _, let restored, let left, _):
            restored.map { $0.needsDescriptor ? "attached restored needsDescriptor" : "attached restored" }
                ?? (left.map { "attached left \($0.reason)" } ?? "attached")
        case .done: "done"
        case .began: "began"
        case .accepted: "accepted"
        case .refused(let refusal): refusal.code.rawValue
        case .rejected(let rejection): rejection.code.rawValue
        }
    }

    private func brief(_ event: CoreEvent) -> Model.Told {
        switch event {
        case .channelJoined(_, let reason): .joined(reason)
        case .channelLeft(let reason, explanation: _): .left(reason)
        case .transmissionEnded(_, let cause, by: let source): .ended(cause, by: source)
        case .transmissionRefused(_, let refusal): .refused(refusal.code)
        case .audioInterrupted(let interruption): .interrupted(interruption)
        case .pushFinished(let pushID, let outcome, explanation: _): .finished(pushID.rawValue, outcome)
        default: .word(event.kind)
        }
    }
}

/// A small generator that can be started again from its seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
