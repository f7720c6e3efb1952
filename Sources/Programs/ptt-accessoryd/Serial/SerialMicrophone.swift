import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// One serial microphone in use: its port, whose events go to its machine.
@EventLoop
final class SerialMicrophone {
    let path: ObjectPath
    let serviceClass: GattUUID
    /// The choice for the device, and whether its presses count.
    private(set) var use: EnrolledDevices.Use
    let host: AccessoryHost
    private let mirror: BlueZMirror
    private let log: Logger
    /// True if a discovery finds it at present.
    private var isSeen = false
    private lazy var connector = SerialConnector(
        path,
        serviceClass: serviceClass,
        mirror: mirror,
        log: log
    ) { [weak self] in
        self?.portChanged($0)
    }

    init(
        _ path: ObjectPath,
        _ definition: AccessoryDefinition,
        serviceClass: GattUUID,
        origin: Origin,
        use: EnrolledDevices.Use,
        _ mirror: BlueZMirror,
        _ receivers: Receivers
    ) {
        self.path = path
        self.use = use
        self.serviceClass = serviceClass
        self.mirror = mirror
        log = receivers.log
        host = AccessoryHost(
            definition,
            origin: origin,
            enrolment: use.enrolment,
            gate: use.gate,
            receivers
        )
        receivers.list.set(device)
    }

    var definition: AccessoryDefinition { host.accessory.definition }

    var origin: Origin { host.accessory.origin }

    /// True if a press would be detected, whether or not it counts.
    var isReady: Bool { connector.isOpen && device.link != .connecting }

    var device: AccessoryDevice { host.accessory.device }

    /// Why its port is not open, for people.
    var failure: String? { connector.isOpen ? nil : connector.failure }

    /// Returns true if another enrolment of the same accessory needs no new machine: its presses do the same.
    func canChange(to new: Enrolment) -> Bool {
        let (before, mode) = (use.enrolment, definition.mode)
        return new.roles == before.roles && (new.mode ?? mode) == (before.mode ?? mode)
    }

    /// Called after each signal about the device, and when its service class was registered.
    func update(_ registration: SerialConnection.Registration?, _ use: EnrolledDevices.Use) {
        self.use = use
        if use.gate != host.accessory.gate { host.handle(.gateChanged(use.gate)) }
        let device = mirror.objects.devices[path]
        if let name = device?.origin(named: use.enrolment.name).name, name != origin.name {
            host.handle(.renamed(name))
        }
        connector.update(registration)
        let wasSeen = isSeen
        isSeen = device?.rssi != nil
        if isSeen, !wasSeen { connector.wanted() }
    }

    func received(_ event: SerialProfiles.Event) { connector.received(event) }

    /// A person asks for it: tries to connect it now, even if it counts as switched off.
    func wanted() {
        connector.wanted()
    }

    /// Ends its press, and closes the port. It is not used afterwards.
    func end(_ cause: EndCause = .linkLost) {
        host.handle(.closed(cause))
        connector.end()
        host.end()
    }

    private func portChanged(_ event: SerialConnector.Event) {
        switch event {
        case .opened: host.handle(.opened)
        case .received(let bytes): host.handle(.bytesReceived(bytes))
        case .closed: host.handle(.closed(.linkLost))
        case .failed(let reason): host.handle(.unavailable(reason: reason))
        case .bluetoothLost: host.handle(.bluetoothLost)
        }
    }
}
