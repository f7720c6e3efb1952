import AccessoryCore
import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// Who hears of an accessory: the core of its presses, clients of its state, and the journal.
struct Receivers {
    let core: PressForwarder
    let list: AccessoryList
    let log: Logger
}

/// Passes events to the machine of one accessory, and performs those of its effects that do not depend on the
/// link: the requests to the core or to ptt-actions, the timer, and what is published.
@EventLoop
final class AccessoryHost {
    /// Reports of buttons that do not transmit and have no answer yet. A button that floods must not delay
    /// the releases of others.
    private static let mostReports = 8

    private(set) var accessory: Accessory
    private let core: PressForwarder
    private let list: AccessoryList
    private let log: Logger
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }
    private var reports = 0
    private var isBatteryLow = false
    private var reported: Set<ButtonRole> = []
    /// The buttons whose press runs an action. The end of the connection is the release.
    private var actions: [ButtonRole: ServiceConnection] = [:] { didSet { reportActivity() } }
    private var isActive = false

    /// Whose link the machine gives orders, and whose lamp shows transmissions; nil for a link that takes
    /// none.
    weak var link: BluetoothButton?
    /// Called when it begins or ends to transmit, or to run actions, as far as the accessory knows.
    var activityChanged: @EventLoop (Bool) -> Void = { _ in }

    init(
        _ definition: AccessoryDefinition,
        origin: Origin,
        enrolment: Enrolment?,
        permission: Permission,
        _ receivers: Receivers,
        counter: UInt32? = nil
    ) {
        accessory = Accessory(
            definition,
            origin: origin,
            mode: enrolment?.mode,
            roles: enrolment?.roles ?? [:],
            permission: permission,
            counter: counter
        )
        (core, list, log) = (receivers.core, receivers.list, receivers.log)
    }

    var runsActions: Bool { core.runsActions(of: accessory) }

    func handle(_ event: Accessory.Event, at time: MonotonicTime = .now) {
        let wasTransmitting = accessory.isTransmitting
        // ``Accessory`` forgets its actions with the core, and would order the end of none.
        if case .coreLost = event { releaseActions() }
        for effect in accessory.handle(event, at: time) { perform(effect) }
        let isTransmitting = accessory.isTransmitting
        if isTransmitting != wasTransmitting { link?.settings.show(isTransmitting: isTransmitting) }
        reportActivity()
    }

    /// An action of a button that does not transmit may record all the same.
    private func reportActivity() {
        let isActive = accessory.isTransmitting || !actions.isEmpty
        guard isActive != self.isActive else { return }
        self.isActive = isActive
        activityChanged(isActive)
    }

    /// The core has ended a transmission, of this accessory or of one of hundreds of others.
    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        guard accessory.isTransmitting else { return }
        handle(.transmissionEnded(transmissionID, cause))
    }

    /// It is not used afterwards. The events that end its press come before.
    func end() {
        timer.disarm()
        releaseActions()
    }

    private func perform(_ effect: Accessory.Effect) {
        switch effect {
        case .begin(let attempt, let role): begin(attempt, role)
        case .end(let cause, let role): end(cause, role)
        case .letGo(let role): core.end(accessory.origin, .released, role: role)
        case .latch(let role): core.latch(accessory.origin, role: role)
        case .report(let role, let isPressed): report(role, isPressed: isPressed)
        case .subscribe(let input): link?.subscribe(input)
        case .fence(let input): link?.read(input)
        case .disconnect: link?.reconnect()
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        case .publish(let event): list.publish(event)
        }
    }

    private func begin(_ attempt: AttemptID, _ role: ButtonRole) {
        if core.runsAction(role, of: accessory) { return act(role, attempt) }
        core.begin(accessory.origin, role: role) { [weak self] result in
            switch result {
            case .success(let transmissionID): self?.handle(.began(transmissionID, attempt))
            case .failure(let refusal):
                self?.handle(.refused(refusal.code, attempt))
                self?.publishIgnored("not transmitting: \(refusal)", role)
            }
        }
    }

    private func end(_ cause: EndCause, _ role: ButtonRole?) {
        if let role, let action = actions.removeValue(forKey: role) { return action.close() }
        if role == nil { releaseActions() }
        core.end(accessory.origin, cause, role: role)
    }

    /// A release is reported if its press was.
    private func report(_ role: ButtonRole, isPressed: Bool) {
        if isPressed {
            if core.runsAction(role, of: accessory) { return act(role, nil) }
            guard reports < Self.mostReports else { return publishIgnored("not reported: too often", role) }
            reported.insert(role)
        } else {
            if let action = actions.removeValue(forKey: role) { return action.close() }
            guard reported.remove(role) != nil else { return }
        }
        reports += 1
        core.report(accessory.origin, role: role, isPressed: isPressed) { [weak self] refusal in
            self?.reports -= 1
            if let refusal { self?.publishIgnored("not reported: \(refusal)", role) }
        }
    }

    /// Runs the action of a button. `attempt` is answered as a transmission is; nil for a button that does
    /// not transmit.
    private func act(_ role: ButtonRole, _ attempt: AttemptID?) {
        actions.removeValue(forKey: role)?.close()
        // The core counts from 1.
        let identifier = attempt.map { TransmissionID(rawValue: -$0.rawValue) }
        var hasBegun = false
        actions[role] = core.actions.press(role, of: accessory) { [weak self] in
            hasBegun = true
            if let attempt, let identifier { self?.handle(.began(identifier, attempt)) }
        } ended: { [weak self] refusal in
            guard let self else { return }
            actions[role] = nil
            if let refusal { publishIgnored("its action does not run: \(refusal)", role) }
            guard let attempt, let identifier else { return }
            // As after the time limit of a transmission, the next press counts after a release.
            let isOver = hasBegun && refusal == nil
            handle(isOver ? .transmissionEnded(identifier, .timeLimit) : .refused(.unknown, attempt))
        }
    }

    private func releaseActions() {
        for action in actions.values { action.close() }
        actions = [:]
    }

    /// Below this charge a person should charge it or change its battery; above the other one it was done.
    static nonisolated let lowBattery = (low: 15, charged: 25)

    /// Reports a battery that has become low, for which the core plays a tone.
    func checkBattery(_ percent: Int) {
        if percent >= Self.lowBattery.charged { isBatteryLow = false }
        guard percent <= Self.lowBattery.low, !isBatteryLow else { return }
        isBatteryLow = true
        log.warning("\(accessory.origin.name): its battery is low (\(percent) %)")
        list.publish(AccessoryEvent(.batteryLow, device: accessory.device, value: "\(percent)"))
        core.reportBattery(accessory.origin, percent: percent)
    }

    private func publishIgnored(_ remark: String, _ role: ButtonRole) {
        list.publish(AccessoryEvent(.ignored, device: accessory.device, role: role, remark: remark))
    }
}
