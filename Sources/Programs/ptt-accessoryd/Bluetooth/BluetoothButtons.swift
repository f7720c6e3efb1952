import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// All Bluetooth buttons of the machine: the devices known to BlueZ that match a profile.
@EventLoop
final class BluetoothButtons {
    private let core: CoreConnection
    private let list: AccessoryList
    private let log: Logger
    private var buttons: [ObjectPath: BluetoothButton] = [:]
    /// Devices that match a profile but are not trusted, as they are listed.
    private var untrusted: [ObjectPath: Origin] = [:]
    private var registration: ProfileRegistration?

    /// Notified of every change of Bluetooth or a button.
    let changes = ChangeNotifier()
    /// Called when a device has changed; nil: any of them may have.
    var onDeviceChange: @EventLoop (ObjectPath?) -> Void = { _ in }
    private(set) lazy var mirror = BlueZMirror(
        log: log,
        isCandidate: { device in
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

    /// Ends every press, then disconnects from the bus.
    func close() {
        for button in buttons.values { button.end() }
        buttons = [:]
        registration = nil
        mirror.close()
    }

    /// Waits, after the start of ptt-accessoryd, until it is known whether Bluetooth is available.
    func waitForAvailability() async {
        _ = await changes.wait(for: .seconds(5)) { [mirror] in mirror.isAvailabilityKnown }
    }

    /// The button at `path`, if it is used.
    subscript(path: ObjectPath) -> BluetoothButton? { buttons[path] }

    /// - Parameter ended: Nil if the core was lost, and all transmissions with it.
    func transmissionEnded(_ ended: TransmissionID?) {
        for button in buttons.values { button.transmissionEnded(ended) }
    }

    private func handle(_ event: BlueZMirror.Event) {
        var changed: ObjectPath?
        switch event {
        case .valueReceived(let path, let value):
            // Without the work below: it may be a press.
            return received(value, at: path)
        case .appeared(let connection): appeared(connection)
        case .deviceChanged(let path):
            changed = path
            review(path)
        case .adapterChanged: reviewAll()
        case .lost: lost()
        }
        registration?.update(services: services, managers: mirror.objects.gattManagers)
        onDeviceChange(changed)
        changes.notify()
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

    /// The services of the buttons in use, for which BlueZ is to reconnect them.
    private var services: Set<String> {
        Set(buttons.values.map(\.profile.service.text))
    }

    // MARK: - Which devices are buttons

    private func reviewAll() {
        let paths = Set(mirror.objects.devices.keys).union(buttons.keys).union(untrusted.keys)
        for path in paths.sorted() { review(path) }
    }

    private func review(_ path: ObjectPath) {
        guard let device = mirror.objects.devices[path], !device.address.isEmpty else { return forget(path) }
        let profiles = mirror.objects.profiles(of: path)
        if let button = buttons[path], device.isTrusted, isCurrent(button, at: path, best: profiles.first) {
            return button.update()
        }
        remove(path)
        guard let profile = profiles.first else { return forget(path) }
        guard device.isTrusted else { return list(untrusted: device, at: path, profile) }
        if let origin = untrusted.removeValue(forKey: path) { log.notice("\(origin.name) is trusted now") }
        log.notice("\(device.origin.name) (\(device.address)) is used as \(profile.name)")
        buttons[path] = BluetoothButton(
            path,
            device: device,
            profile: profile,
            mirror: mirror,
            core: core,
            list: list
        )
    }

    /// Whether a button keeps its profile: until another one is known to match. While a device is away, its services may
    /// be unknown.
    private func isCurrent(_ button: BluetoothButton, at path: ObjectPath, best: AccessoryProfile?) -> Bool {
        guard let best, best != button.profile else { return true }
        return mirror.objects.characteristic(of: path, matching: best) == nil
    }

    private func list(untrusted device: BlueZDevice, at path: ObjectPath, _ profile: AccessoryProfile) {
        untrusted[path] = device.origin
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

    /// Ends a button. It stays in the list until another entry replaces it.
    private func remove(_ path: ObjectPath) {
        buttons.removeValue(forKey: path)?.end()
    }

    private func forget(_ path: ObjectPath) {
        let origin = buttons[path]?.origin ?? untrusted[path]
        remove(path)
        untrusted[path] = nil
        if let origin { list.remove(origin) }
    }
}
