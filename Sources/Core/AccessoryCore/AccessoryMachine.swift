import PTTMessages

/// The state machine of one accessory: a transition, its timer, and the event that publishes a change of the device.
protocol AccessoryMachine {
    associatedtype Event: AccessoryMachineEvent
    associatedtype Effect: AccessoryMachineEffect

    /// The accessory as it is listed.
    var device: AccessoryDevice { get }
    /// When the state needs ``AccessoryMachineEvent/timerFired``.
    var deadline: MonotonicTime? { get }
    /// The time to which the shell's timer is set.
    var timer: MonotonicTime? { get set }

    mutating func transition(_ event: Event, at now: MonotonicTime) -> [Effect]
}

protocol AccessoryMachineEvent: Equatable {
    static var timerFired: Self { get }
}

protocol AccessoryMachineEffect {
    static func setTimer(_ time: MonotonicTime) -> Self
    static var cancelTimer: Self { get }
    static func publish(_ event: AccessoryEvent) -> Self
}

extension AccessoryMachine {
    /// A transition, followed by the change of the timer and of the device that it entails.
    mutating func step(_ event: Event, at now: MonotonicTime) -> [Effect] {
        let before = device
        if event == .timerFired { timer = nil }
        var effects = transition(event, at: now)
        let deadline = deadline
        if deadline != timer {
            timer = deadline
            effects.append(deadline.map { .setTimer($0) } ?? .cancelTimer)
        }
        let after = device
        if (before.link, before.remark, before.name) != (after.link, after.remark, after.name) {
            effects.append(.publish(AccessoryEvent(.deviceChanged, device: after)))
        }
        return effects
    }
}
