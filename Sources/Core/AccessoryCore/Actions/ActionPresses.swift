package import PTTMessages

/// The number of a press, unique within one process.
package struct PressID: Hashable, Comparable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static func < (left: PressID, right: PressID) -> Bool { left.rawValue < right.rawValue }
}

/// The presses that run commands: each is one unit of the service manager, whose start runs the command of
/// the press and whose stop runs that of the release, once. A key that is held, and a recording, take the
/// place of the unit.
///
/// **A press that was begun is released**: by the button, by the loss of whatever held it, or by its limit.
/// Of one button one press runs at a time; the next one waits for the release of the one before.
package struct ActionPresses: Equatable, Sendable {
    /// A button of a device.
    package struct Button: Hashable, Sendable {
        package let device: String
        package let role: ButtonRole

        package init(device: String, role: ButtonRole) {
            self.device = device
            self.role = role
        }
    }

    package enum Event: Equatable, Sendable {
        case pressed(PressID, Button, Action)
        case released(PressID, EndCause)
        /// Everything is released: the machine goes to sleep, another session is the active one, the service
        /// ends.
        case interrupted(EndCause)
        /// The command of the press has ended, or the one to hold runs.
        case unitStarted(PressID)
        /// Released, and what still runs concerns no other press: a command has the recording.
        case handedOver(PressID)
        /// Nothing of it runs, and nothing has to be released any more; the reason if something failed.
        case unitStopped(PressID, failure: String?)
        case timerFired
    }

    package enum Effect: Equatable, Sendable {
        case start(PressID, Button, Action)
        /// Stop it, also while it is starting. Answer with ``Event/unitStopped(_:failure:)``.
        case stop(PressID)
        case report(PressID, Report)
        /// There is one timer; a new time replaces the previous one.
        case setTimer(MonotonicTime)
        case cancelTimer
    }

    package enum Report: Equatable, Sendable {
        case refused(reason: String)
        case began
        /// The failure is for people; nil if all commands ended well.
        case ended(EndCause, failure: String?)
    }

    enum Phase: Equatable, Sendable {
        /// For the end of the press before.
        case waiting
        case starting
        /// Released while the command of the press runs.
        case startingReleased(EndCause)
        case running
        case stopping(EndCause)
        /// The next press does not wait for it.
        case handedOver(EndCause)
    }

    struct Press: Equatable, Sendable {
        let button: Button
        let action: Action
        var phase: Phase
        /// Of the phase.
        var deadline: MonotonicTime?
    }

    /// More buttons than two hands can press.
    package static let limit = 16
    /// The service manager ends a stop by force before.
    static let stopLimit = Duration.seconds(30)

    private(set) var presses: [PressID: Press] = [:]
    private var timer: MonotonicTime?
    /// Of the event that is being handled.
    private var effects: [Effect] = []

    package init() {}

    /// True if nothing has to be released.
    package var isEmpty: Bool { presses.values.allSatisfy(\.isHandedOver) }

    /// Handles an event. Its time never decreases.
    ///
    /// - Returns: The orders to the shell, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        defer { effects = [] }
        switch event {
        case .pressed(let id, let button, let action): pressed(id, button, action, at: now)
        case .released(let id, let cause): release(id, cause, at: now)
        case .interrupted(let cause):
            for id in presses.keys.sorted() { release(id, cause, at: now) }
        case .unitStarted(let id): started(id, at: now)
        case .handedOver(let id): handOver(id, at: now)
        case .unitStopped(let id, let failure): end(id, failure: failure, at: now)
        case .timerFired:
            timer = nil
            for (id, press) in presses.sorted(by: { $0.key < $1.key }) {
                if let deadline = press.deadline, deadline <= now { expire(id, press, at: now) }
            }
        }
        let deadline = presses.values.compactMap(\.deadline).min()
        if deadline != timer {
            timer = deadline
            effects.append(deadline.map { .setTimer($0) } ?? .cancelTimer)
        }
        return effects
    }

    private mutating func pressed(_ id: PressID, _ button: Button, _ action: Action, at now: MonotonicTime) {
        let others = presses.values.filter { $0.button == button && !$0.isHandedOver }
        guard presses.count < Self.limit else {
            return effects.append(.report(id, .refused(reason: "too many actions run")))
        }
        guard others.allSatisfy(\.isEnding) else {
            return effects.append(.report(id, .refused(reason: "its action runs already")))
        }
        presses[id] = Press(button: button, action: action, phase: .waiting)
        if others.isEmpty { start(id, at: now) }
    }

    private mutating func start(_ id: PressID, at now: MonotonicTime) {
        guard let press = presses[id] else { return }
        presses[id]?.phase = .starting
        presses[id]?.deadline = now + press.action.limit
        effects += [.start(id, press.button, press.action), .report(id, .began)]
    }

    private mutating func release(_ id: PressID, _ cause: EndCause, at now: MonotonicTime) {
        guard let press = presses[id] else { return }
        switch press.phase {
        case .waiting:
            presses[id] = nil
            effects.append(.report(id, .ended(cause, failure: "the action before had not ended yet")))
        case .starting:
            presses[id]?.phase = .startingReleased(cause)
            presses[id]?.deadline = now + Action.grace
        case .running: stop(id, cause, at: now)
        case .startingReleased, .stopping, .handedOver: break
        }
    }

    private mutating func handOver(_ id: PressID, at now: MonotonicTime) {
        guard case .stopping(let cause) = presses[id]?.phase, let press = presses[id] else { return }
        presses[id]?.phase = .handedOver(cause)
        // The service manager ends a command after the limit.
        presses[id]?.deadline = now + press.action.limit + Self.stopLimit
        startNext(after: press, at: now)
    }

    private mutating func stop(_ id: PressID, _ cause: EndCause, at now: MonotonicTime) {
        presses[id]?.phase = .stopping(cause)
        presses[id]?.deadline = now + Self.stopLimit
        effects.append(.stop(id))
    }

    private mutating func started(_ id: PressID, at now: MonotonicTime) {
        switch presses[id]?.phase {
        case .starting: presses[id]?.phase = .running
        case .startingReleased(let cause): stop(id, cause, at: now)
        case nil, .waiting, .running, .stopping, .handedOver: break
        }
    }

    /// The unit is gone, also if nobody has ordered it.
    private mutating func end(_ id: PressID, failure: String?, at now: MonotonicTime) {
        guard let press = presses[id] else { return }
        let cause: EndCause
        switch press.phase {
        case .waiting: return
        case .starting, .running: cause = .stopped
        case .startingReleased(let released), .stopping(let released), .handedOver(let released):
            cause = released
        }
        presses[id] = nil
        effects.append(.report(id, .ended(cause, failure: failure)))
        if !press.isHandedOver { startNext(after: press, at: now) }
    }

    private mutating func startNext(after press: Press, at now: MonotonicTime) {
        let next = presses.filter { $0.value.button == press.button && $0.value.phase == .waiting }.keys.min()
        if let next { start(next, at: now) }
    }

    private mutating func expire(_ id: PressID, _ press: Press, at now: MonotonicTime) {
        switch press.phase {
        case .waiting: break
        case .starting, .running: release(id, .timeLimit, at: now)
        case .startingReleased(let cause): stop(id, cause, at: now)
        case .stopping, .handedOver: end(id, failure: "it did not end in time", at: now)
        }
    }
}

extension ActionPresses.Press {
    /// The next press of the button waits for it.
    fileprivate var isEnding: Bool {
        switch phase {
        case .startingReleased, .stopping, .handedOver: true
        case .waiting, .starting, .running: false
        }
    }

    fileprivate var isHandedOver: Bool {
        if case .handedOver = phase { true } else { false }
    }
}
