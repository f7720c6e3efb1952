import PTTMessages

@testable import AccessoryCore

/// How well a person does what is asked.
enum SimulatedPerson: CaseIterable {
    case attentive
    case slow
    /// Leaves one request out.
    case distracted
    /// Presses once more, between the requests.
    case impatient
    /// Lets go at once instead of holding.
    case tapping
}

/// Lets a person and a button meet the learner, in simulated time.
struct LearningSession {
    private enum Item {
        case timer
        case press
        case letGo
        case frame(LearningFrame.Content)
        case heartbeat(Int)
        /// Follows so long after the press with this number, if the button is still held then.
        case held(press: Int, offset: Duration, LearningFrame.Content)
    }

    private var random: SeededGenerator
    private(set) var button: SimulatedButton
    private let person: SimulatedPerson
    private var queue: [(time: MonotonicTime, order: Int, item: Item)] = []
    private var order = 0
    private var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var pressedSince: MonotonicTime?
    private var pressNumber = 0
    private var lastHeld = Duration.zero
    /// The radio does not let a frame overtake an earlier one.
    private var lastArrival = MonotonicTime(nanoseconds: 0)
    private(set) var frames: [LearningFrame] = []
    /// The physical presses.
    private(set) var presses: [(press: MonotonicTime, release: MonotonicTime)] = []
    private let distraction: Int

    init(_ button: SimulatedButton, _ person: SimulatedPerson, seed: UInt64) {
        random = SeededGenerator(seed)
        self.button = button
        self.person = person
        distraction = Int.random(in: 1...LearningPlan.stepCount, using: &random)
    }

    /// Learns.
    mutating func run(transport: InputTransport? = nil) -> Result<
        (LearnedInput, LearningRecording), LearningFailure
    > {
        var learner = Learner(transport: transport)
        connect()
        var outcome = apply(learner.handle(.ready, at: now))
        while outcome == nil, let item = next() {
            switch item {
            case .timer: outcome = apply(learner.handle(.timerFired, at: now))
            case .held(let press, let offset, let content):
                if isStillHeld(press, offset) { outcome = apply(learner.handle(.received(content), at: now)) }
            case .frame(let content):
                for part in parts(of: content) where outcome == nil {
                    outcome = apply(learner.handle(.received(part), at: now))
                }
            case .press: press()
            case .letGo: letGo()
            case .heartbeat(let index): beat(index)
            }
        }
        return outcome ?? .failure(.silent)
    }

    /// Presses the button that was learned some more times; the frames and the physical presses are recorded.
    mutating func pressAgain(_ count: Int) {
        queue = []
        frames = []
        presses = []
        button.lossProbability = 0
        connect()
        var time = now + .milliseconds(3000)
        for _ in 0..<count {
            post(.press, at: time)
            time = time + random.milliseconds(300...6000)
            post(.letGo, at: time)
            time = time + random.milliseconds(1600...5000)
        }
        let end = time
        while let item = next(), now < end {
            switch item {
            case .timer: break
            case .held(let press, let offset, let content):
                if isStillHeld(press, offset) { frames.append(LearningFrame(time: now, content: content)) }
            case .frame(let content): frames.append(LearningFrame(time: now, content: content))
            case .press: press()
            case .letGo: letGo()
            case .heartbeat(let index): beat(index)
            }
        }
    }

    /// A serial stream may be cut anywhere.
    private mutating func parts(of content: LearningFrame.Content) -> [LearningFrame.Content] {
        guard case .received(let bytes, let serviceClass) = content, bytes.count > 1, random.chance(0.3)
        else {
            return [content]
        }
        let cut = Int.random(in: 1..<bytes.count, using: &random)
        return [bytes[..<cut], bytes[cut...]].map { .received(Array($0), serviceClass: serviceClass) }
    }

    // MARK: - The queue

    private mutating func post(_ item: Item, at time: MonotonicTime) {
        order += 1
        queue.append((time, order, item))
    }

    private mutating func next() -> Item? {
        guard
            let index = queue.indices.min(by: {
                (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order)
            })
        else { return nil }
        let entry = queue.remove(at: index)
        now = max(now, entry.time)
        return entry.item
    }

    private mutating func connect() {
        for content in button.onSubscribing { post(.frame(content), at: now + random.milliseconds(5...400)) }
        for index in button.heartbeats.indices {
            let period = Int(button.heartbeats[index].period / .milliseconds(1))
            post(.heartbeat(index), at: now + random.milliseconds(0...period))
        }
    }

    // MARK: - The button

    private mutating func press() {
        guard pressedSince == nil else { return }
        pressedSince = now
        pressNumber += 1
        let emissions = button.press(&random)
        emit(emissions)
        // The key is released by itself so long after its press arrived.
        guard !emissions.isEmpty else { return }
        let delay = emissions.map(\.delay).min() ?? .zero
        for held in button.held() {
            let item = Item.held(press: pressNumber, offset: held.delay, held.content)
            post(item, at: now + delay + held.delay)
        }
    }

    private mutating func letGo() {
        guard let since = pressedSince else { return }
        pressedSince = nil
        presses.append((since, now))
        lastHeld = now - since
        emit(button.release(after: now - since, &random))
    }

    private mutating func emit(_ emissions: [SimulatedButton.Emission]) {
        for emission in emissions.sorted(by: { $0.delay < $1.delay }) {
            lastArrival = max(now + emission.delay, lastArrival + .milliseconds(1))
            post(.frame(emission.content), at: lastArrival)
        }
    }

    private func isStillHeld(_ press: Int, _ offset: Duration) -> Bool {
        guard press == pressNumber else { return false }
        if pressedSince != nil { return true }
        // BlueZ's release; the long press of a button is sent by the button before its release.
        if case .released = button.edges { return lastHeld >= offset }
        return false
    }

    private mutating func beat(_ index: Int) {
        let heartbeat = button.heartbeats[index]
        for content in button.beat(heartbeat, isHeld: pressedSince != nil) { post(.frame(content), at: now) }
        let jitter = Int(heartbeat.jitter / .milliseconds(1))
        post(.heartbeat(index), at: now + heartbeat.period + random.milliseconds(-jitter...jitter))
    }

    // MARK: - The person

    private mutating func apply(_ effects: [Learner.Effect])
        -> Result<(LearnedInput, LearningRecording), LearningFailure>?
    {
        for effect in effects {
            switch effect {
            case .show(let request): handle(request)
            case .setTimer(let time): post(.timer, at: time)
            case .finished(let learned, let recording): return .success((learned, recording))
            case .failed(let failure): return .failure(failure)
            }
        }
        return nil
    }

    private mutating func handle(_ request: LearningRequest) {
        switch request {
        case .leaveAlone: break
        case .press(let step):
            if person == .distracted, step == distraction { return }
            let time = now + reaction
            post(.press, at: time)
            if person == .tapping { post(.letGo, at: time + random.milliseconds(70...260)) }
        case .letGo(let step):
            post(.letGo, at: now + reaction)
            guard person == .impatient, step == distraction else { return }
            let time = now + .milliseconds(1700)
            post(.press, at: time)
            post(.letGo, at: time + random.milliseconds(80...300))
        case .pressTwice(let step):
            if person == .distracted, step == distraction { return }
            var time = now + reaction
            for _ in 0..<2 {
                post(.press, at: time)
                time = time + random.milliseconds(80...220)
                post(.letGo, at: time)
                time = time + random.milliseconds(120...350)
            }
        }
    }

    private var reaction: Duration {
        mutating get {
            switch person {
            case .attentive, .impatient, .tapping, .distracted: random.milliseconds(150...650)
            case .slow: random.milliseconds(400...2200)
            }
        }
    }
}
