import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// One serial microphone in use: passes the events of its port to its ``Accessory``, and performs the effects.
@EventLoop
final class SerialMicrophone {
    let path: ObjectPath
    let serviceClass: GattUUID
    private let core: CoreConnection
    private let list: AccessoryList
    private let mirror: BlueZMirror
    private let log: Logger
    private var accessory: Accessory
    private lazy var connector = SerialConnector(
        path,
        serviceClass: serviceClass,
        mirror: mirror,
        log: log
    ) { [weak self] in
        self?.portChanged($0)
    }
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }

    init(
        _ path: ObjectPath,
        _ accessory: Accessory,
        serviceClass: GattUUID,
        mirror: BlueZMirror,
        core: CoreConnection,
        list: AccessoryList,
        log: Logger
    ) {
        self.path = path
        self.accessory = accessory
        self.serviceClass = serviceClass
        self.mirror = mirror
        self.core = core
        self.list = list
        self.log = log
        list.set(accessory.device)
    }

    var definition: AccessoryDefinition { accessory.definition }

    var origin: Origin { accessory.origin }

    var gate: Gate { accessory.gate }

    /// Whether a press would be detected, whether or not it counts.
    var isReady: Bool { connector.isOpen && accessory.device.link != .connecting }

    var device: AccessoryDevice { accessory.device }

    /// Why its port is not open, for people.
    var failure: String? { connector.isOpen ? nil : connector.failure }

    private var isSeen = false

    /// Called after each signal about the device, and when its service class was registered.
    func update(_ registration: SerialConnection.Registration?, gate: Gate) {
        if gate != accessory.gate { handle(.gateChanged(gate)) }
        let device = mirror.objects.devices[path]
        if let name = device?.origin.name, name != accessory.origin.name { handle(.renamed(name)) }
        connector.update(registration)
        let wasSeen = isSeen
        isSeen = device?.rssi != nil
        if isSeen, !wasSeen { connector.wanted() }
    }

    func handle(_ event: SerialProfiles.Event) {
        switch event {
        case .portReceived(let port): connector.received(port)
        case .disconnectionRequested: connector.disconnectionRequested()
        }
    }

    /// A person asks for it: tries to connect it now, even if it counts as switched off.
    func wanted() {
        connector.wanted()
    }

    func coreLost() {
        handle(.coreLost)
    }

    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        handle(.transmissionEnded(transmissionID, cause))
    }

    /// Ends its press, and closes the port. It is not used afterwards.
    func end() {
        handle(.portClosed(.linkLost))
        connector.end()
        timer.disarm()
    }

    private func portChanged(_ event: SerialConnector.Event) {
        switch event {
        case .opened: handle(.portOpened)
        case .received(let bytes): handle(.bytesReceived(bytes))
        case .closed: handle(.portClosed(.linkLost))
        case .failed(let reason): handle(.portUnavailable(reason: reason))
        case .bluetoothLost: handle(.bluetoothLost)
        }
    }

    private func handle(_ event: Accessory.Event) {
        for effect in accessory.handle(event, at: .now) { perform(effect) }
    }

    private func perform(_ effect: Accessory.Effect) {
        switch effect {
        case .begin(let attempt, let role): begin(attempt, role)
        case .end(let cause, let role): core.end(accessory.origin, cause, role: role)
        case .letGo(let role): core.end(accessory.origin, .released, role: role)
        case .report(let role, let isPressed): report(role, isPressed: isPressed)
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        case .publish(let event): list.publish(event)
        // Only for the links of Bluetooth buttons.
        case .subscribe, .fence, .disconnect: break
        }
    }

    private func begin(_ attempt: AttemptID, _ role: ButtonRole) {
        core.begin(accessory.origin, role: role) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let transmissionID): handle(.began(transmissionID, attempt))
            case .failure(let refusal):
                handle(.refused(refusal.code, attempt))
                publishIgnored("not transmitting: \(refusal)")
            }
        }
    }

    private func report(_ role: ButtonRole, isPressed: Bool) {
        core.report(accessory.origin, role: role, isPressed: isPressed) { [weak self] reason in
            self?.publishIgnored("the application was not notified: \(reason)")
        }
    }

    private func publishIgnored(_ remark: String) {
        list.publish(AccessoryEvent(.ignored, device: accessory.device, remark: remark))
    }
}
