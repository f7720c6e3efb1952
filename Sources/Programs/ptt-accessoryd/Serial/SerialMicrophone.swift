import AccessoryCore
import DBus
import EventLoop
import PTTMessages
import ServiceClient

/// One serial microphone in use: its port, whose events go to its machine.
@EventLoop
final class SerialMicrophone {
    /// The choice for the device, and whether its presses count.
    private(set) var use: EnrolledDevices.Use
    let host: AccessoryHost
    let connector: SerialConnector
    private let mirror: BlueZMirror
    /// True if a discovery finds it at present.
    private var isSeen = false

    init(
        _ path: ObjectPath,
        _ definition: AccessoryDefinition,
        serviceClass: GattUUID,
        origin: Origin,
        use: EnrolledDevices.Use,
        _ mirror: BlueZMirror,
        _ receivers: Receivers
    ) {
        self.use = use
        self.mirror = mirror
        let host = AccessoryHost(
            definition,
            origin: origin,
            enrolment: use.enrolment,
            permission: use.permission,
            receivers
        )
        self.host = host
        connector = SerialConnector(path, serviceClass: serviceClass, mirror: mirror, log: receivers.log) {
            host.handle(.stream($0))
        }
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
        if use.permission != host.accessory.permission { host.handle(.permissionChanged(use.permission)) }
        let device = mirror.objects.devices[connector.path]
        if let name = device?.origin(named: use.enrolment.name).name, name != origin.name {
            host.handle(.renamed(name))
        }
        connector.update(registration)
        let wasSeen = isSeen
        isSeen = device?.rssi != nil
        if isSeen, !wasSeen { connector.wanted() }
    }

    /// Ends its press, and closes the port. It is not used afterwards.
    func end(_ cause: EndCause = .linkLost) {
        host.handle(.stream(.closed(cause)))
        connector.end()
        host.end()
    }
}
