import PTTCore
import PTTMessages
import Testing

@Suite struct SaveOrderTests {
    private let renamed: [TalkSession.Effect] = [
        .saveDescriptor(Descriptor(name: "Hikers", image: nil)), .reply(RequestID(rawValue: 1), .done),
        .publish(.descriptorChanged(name: "Hikers", image: nil)),
    ]
    private let began: [TalkSession.Effect] = [
        .reply(RequestID(rawValue: 2), .began(TransmissionID(rawValue: 1))),
        .openCapture(CaptureID(rawValue: 1), .standard),
    ]

    @Test func `effects without a save are carried out immediately`() {
        var order = SaveOrder()
        #expect(order.order(began, at: .seconds(1)) == began.map { .perform($0, at: .seconds(1)) })
        #expect(order.isSettled)
    }

    @Test func `a change is answered and published once it is written`() {
        var order = SaveOrder()
        #expect(order.order(renamed, at: .seconds(1)) == [.perform(renamed[0], at: .seconds(1)), .write])
        #expect(order.isHolding && !order.isSettled)
        #expect(order.written() == renamed.dropFirst().map { .perform($0, at: .seconds(1)) })
        #expect(order.isSettled)
    }

    @Test func `later effects wait too, and keep their times`() {
        var order = SaveOrder()
        _ = order.order(renamed, at: .seconds(1))
        #expect(order.order(began, at: .seconds(2)) == [])
        #expect(
            order.written()
                == renamed.dropFirst().map { .perform($0, at: .seconds(1)) }
                + began.map { .perform($0, at: .seconds(2)) }
        )
    }

    @Test func `an effect that waits keeps the process that caused it`() {
        var order = SaveOrder()
        _ = order.order(renamed, at: .seconds(1), for: 7)
        _ = order.order(began, at: .seconds(2), for: 8)
        #expect(
            order.written()
                == renamed.dropFirst().map { .perform($0, at: .seconds(1), for: 7) }
                + began.map { .perform($0, at: .seconds(2), for: 8) }
        )
    }

    @Test func `a closing never waits, and cancels the opening that does`() {
        var order = SaveOrder()
        let first = CaptureID(rawValue: 0)
        _ = order.order([.openCapture(first, .standard)], at: .seconds(0))
        _ = order.order(renamed, at: .seconds(1))
        #expect(
            order.order([.stopFrames(first), .closeCapture(first), .cancelTimer], at: .seconds(1))
                == [
                    .perform(.stopFrames(first), at: .seconds(1)),
                    .perform(.closeCapture(first), at: .seconds(1)),
                    .perform(.cancelTimer, at: .seconds(1)),
                ]
        )
        _ = order.order(began, at: .seconds(2))
        #expect(order.order([.closeCapture(CaptureID(rawValue: 1))], at: .seconds(3)) == [])
        let isOpened = order.written().contains {
            if case .perform(.openCapture, _, _) = $0 { true } else { false }
        }
        #expect(!isOpened)
    }

    @Test func `one write is in progress, and the next one is of the newest state`() {
        var order = SaveOrder()
        _ = order.order(renamed, at: .seconds(1))
        #expect(order.order(renamed, at: .seconds(2)) == [.perform(renamed[0], at: .seconds(2))])
        #expect(order.order(renamed, at: .seconds(3)) == [.perform(renamed[0], at: .seconds(3))])
        #expect(order.written() == renamed.dropFirst().map { .perform($0, at: .seconds(1)) } + [.write])
        let later = [2, 3].flatMap { second in
            renamed.dropFirst().map { SaveOrder.Step.perform($0, at: .seconds(second)) }
        }
        #expect(order.written() == later)
    }

    @Test func `a failed write releases what waits, is reported, and is retried`() {
        var order = SaveOrder()
        _ = order.order(renamed, at: .seconds(1))
        #expect(
            order.notWritten("full")
                == [.keepAside, .failed(reason: "full")]
                + renamed.dropFirst().map { .perform($0, at: .seconds(1)) } + [.retryLater]
        )
        #expect(order.isSettled)
        #expect(order.retry() == [.write])
        #expect(order.notWritten("full") == [.failed(reason: "full"), .retryLater])
        #expect(order.retry() == [.write])
        #expect(order.written() == [.recovered])
        #expect(order.retry() == [])
    }

    @Test func `a change after a failure is kept aside before it is published`() {
        var order = SaveOrder()
        _ = order.order(renamed, at: .seconds(1))
        _ = order.notWritten("full")
        #expect(
            order.order(renamed, at: .seconds(2))
                == [.perform(renamed[0], at: .seconds(2)), .keepAside, .write]
                + renamed.dropFirst().map { .perform($0, at: .seconds(2)) }
        )
    }

    @Test func `a write that hangs counts as failed, and as done if it ends after all`() {
        var order = SaveOrder()
        _ = order.order(renamed, at: .seconds(1))
        #expect(
            order.overdue("hangs")
                == [.keepAside, .failed(reason: "hangs")]
                + renamed.dropFirst().map { .perform($0, at: .seconds(1)) }
        )
        #expect(order.overdue("hangs") == [] && order.retry() == [])
        #expect(
            order.order(renamed, at: .seconds(2))
                == [.perform(renamed[0], at: .seconds(2)), .keepAside]
                + renamed.dropFirst().map { .perform($0, at: .seconds(2)) }
        )
        #expect(order.written() == [.write])
        #expect(order.written() == [.recovered])
    }

    @Test func `more changes than can be written do not wait`() {
        var order = SaveOrder()
        _ = order.order(renamed, at: .seconds(1))
        for _ in renamed.count..<SaveOrder.waitingLimit { _ = order.order(began, at: .seconds(2)) }
        #expect(!order.isHolding)
        #expect(order.order(renamed, at: .seconds(3)).contains(.keepAside))
        #expect(order.written() == [.write])
        #expect(order.written() == [.recovered])
    }

    @Test func `state that was kept aside is written first, and delays nothing`() {
        var order = SaveOrder()
        #expect(order.foundAside() == [.write])
        #expect(order.order(began, at: .seconds(1)) == began.map { .perform($0, at: .seconds(1)) })
        #expect(order.written() == [.recovered])
    }

    // MARK: Random sequences

    @Test func `the contract holds in any sequence`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        var waits = 0
        for _ in 0..<2000 {
            var contract = SaveContract()
            for _ in 0..<60 {
                if let violation = contract.step(&random) {
                    Issue.record("\(violation), seed \(seed)")
                    return
                }
            }
            waits += contract.waits
        }
        #expect(waits > 2000, "nothing ever waits")
    }
}

/// The promises of ``SaveOrder``, in terms of its inputs and outputs.
private struct SaveContract {
    private var order = SaveOrder()
    private var request = 0
    private var open: [CaptureID] = []
    /// Effects that were neither performed nor cancelled, each with the save that was the newest when it was ordered.
    private var pending: [(effect: TalkSession.Effect, save: Int)] = []
    private var ordered = 0
    private var settledUpTo = 0
    private var writing: Int?
    private var isFailing = false
    private var opened: Set<CaptureID> = []
    private(set) var waits = 0

    mutating func step(_ random: inout SplitMix) -> String? {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return ended(order.written(), isFailure: false)
        case 1: return ended(order.notWritten("full"), isFailure: true)
        case 2:
            let steps = order.overdue("hangs")
            if writing != nil, !isFailing { fail() }
            return check(steps)
        case 3:
            let steps = order.retry()
            return check(steps)
        case _: return turn(&random)
        }
    }

    private mutating func turn(_ random: inout SplitMix) -> String? {
        var effects: [TalkSession.Effect] = []
        var expected: [TalkSession.Effect] = []
        if Bool.random(using: &random), let index = open.indices.randomElement(using: &random) {
            let capture = open.remove(at: index)
            effects.append(.closeCapture(capture))
            if opened.contains(capture) {
                expected.append(.closeCapture(capture))
            } else {
                // Its opening still waits: both are dropped.
                pending.removeAll { $0.effect == .openCapture(capture, .standard) }
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            effects.append(.saveChannel(nil))
            expected.append(.saveChannel(nil))
            ordered += 1
            if isFailing { settledUpTo = ordered }
        }
        request += 1
        effects.append(.reply(RequestID(rawValue: request), .done))
        if Int.random(in: 0..<3, using: &random) == 0 {
            let capture = CaptureID(rawValue: request)
            open.append(capture)
            effects.append(.openCapture(capture, .standard))
        }
        for effect in effects where effect.canWait { pending.append((effect, ordered)) }
        let steps = order.order(effects, at: .seconds(0))
        let atOnce = steps.compactMap { step -> TalkSession.Effect? in
            if case .perform(let effect, _, _) = step, !effect.canWait { effect } else { nil }
        }
        guard atOnce == expected else { return "\(atOnce) immediately instead of \(expected)" }
        return check(steps)
    }

    private mutating func ended(_ steps: [SaveOrder.Step], isFailure: Bool) -> String? {
        guard let number = writing else {
            return steps.isEmpty ? nil : "the end of nothing leads to \(steps)"
        }
        writing = nil
        if isFailure {
            fail()
        } else {
            settledUpTo = max(settledUpTo, number)
            if number == ordered { isFailing = false }
        }
        return check(steps)
    }

    private mutating func fail() {
        isFailing = true
        settledUpTo = ordered
    }

    private mutating func check(_ steps: [SaveOrder.Step]) -> String? {
        for step in steps {
            switch step {
            case .perform(let effect, _, _) where effect.canWait:
                guard let first = pending.first, first.effect == effect else {
                    return "\(effect) out of turn"
                }
                guard first.save <= settledUpTo else { return "\(effect) before its save" }
                pending.removeFirst()
                if case .openCapture(let capture, _) = effect { opened.insert(capture) }
            case .write:
                guard writing == nil else { return "two writes at a time" }
                writing = ordered
            case .perform, .keepAside, .recovered, .failed, .retryLater: break
            }
        }
        waits += pending.isEmpty ? 0 : 1
        if let first = pending.first, first.save <= settledUpTo {
            return "\(first.effect) waits for nothing"
        }
        if order.isHolding == pending.isEmpty { return "isHolding is \(order.isHolding)" }
        if !isFailing, settledUpTo < ordered, writing == nil { return "a save is forgotten" }
        return nil
    }
}

extension TalkSession.Effect {
    fileprivate var canWait: Bool {
        switch self {
        case .closeCapture, .closePlayback, .stopFrames, .setTimer, .cancelTimer, .saveChannel,
            .saveDescriptor, .saveVolume, .setVolume, .playTone:
            false
        case .reply, .publish, .notify, .startApplication, .log, .openCapture, .openPlayback,
            .deliverFrames, .playTalkPermit:
            true
        }
    }
}
