import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// All Bluetooth buttons of the machine: the devices that BlueZ knows and that fit a profile.
@EventLoop
final class BluetoothButtons {
    private let core: CoreConnection
    private let list: AccessoryList
    private let log: Logger
    private var buttons: [ObjectPath: BluetoothButton] = [:]
    /// Devices that fit a profile and are not used, as they are listed.
    private var strangers: [ObjectPath: Origin] = [:]
    private var registration: ProfileRegistration?

    /// Something about Bluetooth or a button has changed.
    let changes = Changes()
    private(set) lazy var mirror = BlueZMirror(
        log: log,
        mayConcernUs: { device in
            !AccessoryProfile.matching(services: device.uuids, name: device.alias).isEmpty
        },
        handler: { [weak self] in self?.handle($0) }
    )

    init(core: CoreConnection, list: AccessoryList, log: Logger) {
        self.core = core
        self.list = list
        self.log = log
    }

    func start() {
        mirror.start()
    }

    /// Ends every press, then leaves the bus.
    func close() {
        for button in buttons.values { button.end() }
        buttons = [:]
        registration = nil
        mirror.close()
    }

    /// Waits, when ptt-accessoryd has just been started, until it has turned out what Bluetooth there is.
    func settle() async {
        _ = await changes.wait(.seconds(5)) { [mirror] in mirror.isDecided }
    }

    /// The button at `path`, if it is used.
    subscript(path: ObjectPath) -> BluetoothButton? { buttons[path] }

    /// - Parameter ended: Nil: whatever there was ended with the core.
    func transmissionEnded(_ ended: TransmissionID?) {
        for button in buttons.values { button.transmissionEnded(ended) }
    }

    private func handle(_ event: BlueZMirror.Event) {
        switch event {
        case .valueReceived(let path, let value):
            // First and alone: it may be a press.
            return received(value, at: path)
        case .appeared(let connection): appeared(connection)
        case .deviceChanged(let path): review(path)
        case .adapterChanged: reviewAll()
        case .lost: lost()
        }
        registration?.update(services: services, managers: mirror.objects.gattManagers)
        changes.happened()
    }

    private func received(_ value: [UInt8], at characteristic: ObjectPath) {
        for button in buttons.values where button.characteristic == characteristic { button.received(value) }
    }

    private func appeared(_ connection: BusConnection) {
        registration = ProfileRegistration(on: connection, log: log)
        reviewAll()
    }

    private func lost() {
        registration = nil
        for button in buttons.values { button.bluetoothLost() }
    }

    /// The services of the buttons in use, by which BlueZ is to reconnect them.
    private var services: Set<String> {
        Set(buttons.values.map(\.profile.service.text))
    }

    // MARK: - Which devices are buttons

    private func reviewAll() {
        let paths = Set(mirror.objects.devices.keys).union(buttons.keys).union(strangers.keys)
        for path in paths.sorted() { review(path) }
    }

    private func review(_ path: ObjectPath) {
        guard let device = mirror.objects.devices[path], !device.address.isEmpty else { return forget(path) }
        let profiles = mirror.objects.profiles(of: path)
        if let button = buttons[path], device.isTrusted, isStillRight(button, profiles, path) {
            return button.update()
        }
        remove(path)
        guard let profile = profiles.first else { return forget(path) }
        guard device.isTrusted else { return show(stranger: device, at: path, profile) }
        if let origin = strangers.removeValue(forKey: path) { log.notice("\(origin.name) is trusted now") }
        log.notice("\(device.origin.name) (\(device.address)) is used as \(profile.name)")
        buttons[path] = BluetoothButton(path, device, profile, mirror: mirror, core: core, list: list)
    }

    /// A profile stays until another one is known to fit: while a device is away its services may be unknown.
    private func isStillRight(_ button: BluetoothButton, _ profiles: [AccessoryProfile], _ path: ObjectPath)
        -> Bool
    {
        guard let best = profiles.first, best != button.profile else { return true }
        return mirror.objects.characteristic(of: path, fitting: best) == nil
    }

    private func show(stranger device: BlueZDevice, at path: ObjectPath, _ profile: AccessoryProfile) {
        strangers[path] = device.origin
        list.set(
            AccessoryDevice(
                kind: .bluetoothButton,
                identifier: device.address,
                name: device.origin.name,
                profile: profile.name,
                mode: profile.mode,
                link: .unused,
                isPressed: false,
                remark: "not trusted: run `pttctl pair \(device.address)`"
            )
        )
    }

    /// Ends a button; what it was shows until something takes its place.
    private func remove(_ path: ObjectPath) {
        buttons.removeValue(forKey: path)?.end()
    }

    private func forget(_ path: ObjectPath) {
        let origin = buttons[path]?.origin ?? strangers[path]
        remove(path)
        strangers[path] = nil
        if let origin { list.remove(origin) }
    }
}
