package import PTTMessages

/// An accessory with stand-ins for its link and the core, which transmits whenever it is asked: what the
/// accessory sends becomes outcomes.
package struct ExampleRun: Sendable {
    package typealias Outcome = AccessoryExample.Step.Outcome

    /// Longer than any value may be the level on subscribing in place of an edge.
    private static let connectionTime = Duration.seconds(5)

    private let definition: AccessoryDefinition
    private var accessory: Accessory
    private var now: MonotonicTime
    private var timer: MonotonicTime?
    private var isConnected = false
    private var transmissions = 0
    /// The button whose transmission lasts, and its number.
    package private(set) var transmission: (role: ButtonRole, id: TransmissionID)?
    private var outcomes: [Outcome] = []

    /// Connected, and ready for a press at `start`.
    package init(_ definition: AccessoryDefinition, from start: MonotonicTime = MonotonicTime(nanoseconds: 0))
    {
        self.definition = definition
        accessory = Self.accessory(definition)
        now = start + Self.connectionTime * -1
        connect()
    }

    /// - Returns: The outcomes of a step, in their order.
    package mutating func perform(
        _ action: AccessoryExample.Step.Action,
        after delay: Duration
    ) -> [Outcome] {
        if !isConnected { connect() }
        return perform(action, at: now + delay)
    }

    /// - Precondition: It was not lost by the action before.
    /// - Returns: The outcomes of a step and of the time before it, in their order.
    package mutating func perform(_ action: AccessoryExample.Step.Action, at time: MonotonicTime) -> [Outcome]
    {
        outcomes = []
        advance(to: time)
        switch action {
        case .notify(let bytes, let input): handle(.gatt(.valueNotified(bytes, input: input)))
        case .receive(let bytes): handle(.stream(.bytesReceived(bytes)))
        case .advertise(let data):
            if let packet = BTHome.packet(data) { handle(.stream(.advertised(packet))) }
        case .key(let code, let isPressed): handle(.keys(isPressed ? .pressed(code) : .released(code)))
        case .lose:
            isConnected = false
            switch definition.input {
            case .gatt: handle(.gatt(.disconnected(.linkLost)))
            case .serial, .advertisements: handle(.stream(.closed(.linkLost)))
            case .keys: handle(.keys(.deviceRemoved))
            }
        }
        return outcomes
    }

    /// - Returns: The outcomes of a time in which it sends nothing.
    package mutating func wait(_ duration: Duration) -> [Outcome] {
        outcomes = []
        advance(to: now + duration)
        return outcomes
    }

    private static func accessory(_ definition: AccessoryDefinition) -> Accessory {
        Accessory(
            definition,
            origin: Origin(kind: .bluetoothButton, identifier: "example", name: definition.name)
        )
    }

    private mutating func connect() {
        isConnected = true
        switch definition.input {
        case .gatt(let inputs):
            handle(.gatt(.connected))
            handle(.gatt(.servicesResolved(found: Set(inputs.indices))))
        case .serial, .advertisements: handle(.stream(.opened))
        case .keys: accessory = Self.accessory(definition)
        }
        advance(to: now + Self.connectionTime)
    }

    private mutating func advance(to time: MonotonicTime) {
        while let next = timer, next <= time {
            timer = nil
            now = max(now, next)
            handle(.timerFired)
        }
        now = max(now, time)
    }

    private mutating func handle(_ event: Accessory.Event) {
        for effect in accessory.handle(event, at: now) { perform(effect) }
    }

    private mutating func perform(_ effect: Accessory.Effect) {
        switch effect {
        case .begin(let attempt, let role):
            transmissions += 1
            let id = TransmissionID(rawValue: transmissions)
            transmission = (role, id)
            outcomes.append(.begin(role))
            handle(.began(id, attempt))
        case .end(let cause, let role):
            guard let ended = transmission, role == nil || role == ended.role else { return }
            transmission = nil
            outcomes.append(.end(ended.role))
            handle(.transmissionEnded(ended.id, cause))
        case .report(let role, let isPressed): outcomes.append(isPressed ? .press(role) : .release(role))
        case .subscribe(let input): handle(.gatt(.notificationsEnabled(input)))
        case .fence(let input): handle(.gatt(.fenceAnswered(input, .refused)))
        case .setTimer(let time): timer = time
        case .cancelTimer: timer = nil
        case .letGo, .latch, .disconnect, .publish: break
        }
    }
}

extension AccessoryDefinition {
    /// A step of an example that had other outcomes than it expects.
    package struct FailedStep: Equatable, Sendable {
        package let example: AccessoryExample
        /// Counted from 0.
        package let step: Int
        package let outcomes: [ExampleRun.Outcome]
    }

    /// Replays the examples.
    ///
    /// - Returns: The first step that failed of each example.
    package func failedExamples() -> [FailedStep] {
        examples.compactMap { example in
            var run = ExampleRun(self)
            for (index, step) in example.steps.enumerated() {
                let outcomes = run.perform(step.action, after: step.delay)
                guard outcomes == step.outcomes else {
                    return FailedStep(example: example, step: index, outcomes: outcomes)
                }
            }
            return nil
        }
    }
}
