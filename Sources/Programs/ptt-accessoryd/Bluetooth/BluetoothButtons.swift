import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// The Bluetooth buttons: the devices known to BlueZ that match a profile. Only enrolled ones are used.
@EventLoop
final class BluetoothButtons {
    private let core: CoreConnection
    private let list: AccessoryList
    private let enrolled: EnrolledDevices
    private let log: Logger
    private var buttons: [ObjectPath: BluetoothButton] = [:]
    /// Devices that match a profile but are not enrolled, or released, as they are listed.
    private var unused: [ObjectPath: Origin] = [:]
    private var isSessionActive = true
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

    init(core: CoreConnection, list: AccessoryList, enrolled: EnrolledDevices, log: Logger) {
        self.core = core
        self.list = list
        self.enrolled = enrolled
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

    func coreLost() {
        for button in buttons.values { button.coreLost() }
    }

    func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) {
        for button in buttons.values { button.transmissionEnded(transmissionID, cause) }
    }

    /// The login session of this user became the active one of its seat, or another user's did. Then all buttons are
    /// released, as the headsets are: whoever is at the seat now must not transmit in our channel.
    func sessionChanged(isActive: Bool) {
        guard isActive != isSessionActive else { return }
        isSessionActive = isActive
        enrolmentChanged()
    }

    /// The enrolled devices, or the one that is being enrolled, have changed.
    func enrolmentChanged() {
        guard mirror.connection != nil else { return }
        reviewAll()
        registration?.update(services: services, managers: mirror.objects.gattManagers)
        changes.notify()
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
        for button in buttons.values {
            if let input = button.input(at: characteristic) { button.received(value, input: input) }
        }
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
        Set(buttons.values.flatMap { $0.profile.attributes.map(\.service.text) })
    }

    // MARK: - Which devices are buttons

    private func reviewAll() {
        let paths = Set(mirror.objects.devices.keys).union(buttons.keys).union(unused.keys)
        for path in paths.sorted() { review(path) }
    }

    private func review(_ path: ObjectPath) {
        guard let device = mirror.objects.devices[path], !device.address.isEmpty else { return forget(path) }
        let identity = DeviceIdentity(bluetoothAddress: device.address)
        let isCandidate = enrolled.candidate == identity
        let isEnrolled = enrolled[identity] != nil && !isCandidate
        let isUsed = isSessionActive && (isEnrolled || isCandidate)
        let profiles = mirror.objects.profiles(of: path)
        if let button = buttons[path], isUsed, isCurrent(button, at: path, best: profiles.first) {
            button.isEnrolled = isEnrolled
            return button.update()
        }
        remove(path)
        guard let profile = profiles.first else { return forget(path) }
        guard isUsed else {
            return device.isKnown ? list(unused: device, at: path, profile) : forget(path)
        }
        unused[path] = nil
        log.notice("\(device.origin.name) (\(device.address)) is used as \(profile.name)")
        buttons[path] = BluetoothButton(
            path,
            device: device,
            profile: profile,
            isEnrolled: isEnrolled,
            mirror: mirror,
            core: core,
            list: list
        )
    }

    /// Whether a button keeps its profile: until another one is known to match. While a device is away, its services may
    /// be unknown.
    private func isCurrent(_ button: BluetoothButton, at path: ObjectPath, best: AccessoryProfile?) -> Bool {
        guard let best, best != button.profile else { return true }
        return !mirror.objects.hasCharacteristic(of: path, matching: best)
    }

    private func list(unused device: BlueZDevice, at path: ObjectPath, _ profile: AccessoryProfile) {
        unused[path] = device.origin
        let isEnrolled = enrolled[DeviceIdentity(bluetoothAddress: device.address)] != nil
        list.set(
            AccessoryDevice(
                kind: .bluetoothButton,
                identifier: device.address,
                name: device.origin.name,
                profile: profile.name,
                mode: profile.mode,
                link: .unused,
                isPressed: false,
                remark: isEnrolled
                    ? "another session is active at this seat" : enrolled.remark(notEnrolled: device.address)
            )
        )
    }

    /// Ends a button. It stays in the list until another entry replaces it.
    private func remove(_ path: ObjectPath) {
        buttons.removeValue(forKey: path)?.end()
    }

    private func forget(_ path: ObjectPath) {
        let origin = buttons[path]?.origin ?? unused[path]
        remove(path)
        unused[path] = nil
        if let origin { list.remove(origin) }
    }
}
