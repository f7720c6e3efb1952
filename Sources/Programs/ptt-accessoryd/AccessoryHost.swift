import AccessoryCore
import EventLoop
import PTTMessages
import ServiceClient

/// The link of a Bluetooth button, which its machine gives orders.
@EventLoop
protocol GattOrders: AnyObject {
    /// Turns the notifications of an input on.
    func subscribe(_ input: Int)
    /// Reads the value of an input once.
    func read(_ input: Int)
    /// Breaks the link, and lets the button come back.
    func reconnect()
}

/// Passes events to the machine of one accessory, and performs those of its effects that do not depend on the
/// link: the requests to the core, the timer, and what is published.
@EventLoop
final class AccessoryHost {
    /// Reports of buttons that do not transmit and have no answer yet. A button that floods must not delay
    /// the releases of others.
    private static let mostReports = 8

    private(set) var accessory: Accessory
    private let core: PressForwarder
    private let list: AccessoryList
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }
    private var reports = 0
    private var reported: Set<ButtonRole> = []

    /// Nil for a link that takes no orders.
    weak var link: (any GattOrders)?
    /// Called when it begins or ends to transmit, as far as the accessory knows.
    var transmittingChanged: @EventLoop (Bool) -> Void = { _ in }

    init(_ accessory: Accessory, core: PressForwarder, list: AccessoryList) {
        self.accessory = accessory
        self.core = core
        self.list = list
    }

    func handle(_ event: Accessory.Event, at time: MonotonicTime = .now) {
        let wasTransmitting = accessory.isTransmitting
        for effect in accessory.handle(event, at: time) { perform(effect) }
        let isTransmitting = accessory.isTransmitting
        if isTransmitting != wasTransmitting { transmittingChanged(isTransmitting) }
    }

    /// The core has ended a transmission, of this accessory or of one of hundreds of others.
    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        guard accessory.isTransmitting else { return }
        handle(.transmissionEnded(transmissionID, cause))
    }

    /// It is not used afterwards. The events that end its press come before.
    func end() {
        timer.disarm()
    }

    private func perform(_ effect: Accessory.Effect) {
        switch effect {
        case .begin(let attempt, let role): begin(attempt, role)
        case .end(let cause, let role): core.end(accessory.origin, cause, role: role)
        case .letGo(let role): core.end(accessory.origin, .released, role: role)
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
        core.begin(accessory.origin, role: role) { [weak self] result in
            switch result {
            case .success(let transmissionID): self?.handle(.began(transmissionID, attempt))
            case .failure(let refusal):
                self?.handle(.refused(refusal.code, attempt))
                self?.publishIgnored("not transmitting: \(refusal)", role)
            }
        }
    }

    /// A release is reported if its press was.
    private func report(_ role: ButtonRole, isPressed: Bool) {
        if isPressed {
            guard reports < Self.mostReports else { return publishIgnored("not reported: too often", role) }
            reported.insert(role)
        } else {
            guard reported.remove(role) != nil else { return }
        }
        reports += 1
        core.report(accessory.origin, role: role, isPressed: isPressed) { [weak self] refusal in
            self?.reports -= 1
            if let refusal { self?.publishIgnored("not reported: \(refusal)", role) }
        }
    }

    /// The core plays a tone for a low battery.
    func reportBattery(_ percent: Int) {
        core.reportBattery(accessory.origin, percent: percent)
    }

    private func publishIgnored(_ remark: String, _ role: ButtonRole) {
        list.publish(AccessoryEvent(.ignored, device: accessory.device, role: role, remark: remark))
    }
}
