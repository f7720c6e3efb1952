import AccessoryCore
import AccessoryFiles
import DBus
import EventLoop
import Logging
import PTTMessages

/// The Bluetooth buttons: the devices known to BlueZ that match a profile. Only enrolled ones are used.
@EventLoop
final class BluetoothButtons {
    private static let elsewhereReason = "another session is active at this seat"
    private static let elsewhere = Permission.withheld(reason: elsewhereReason, cause: .sessionInactive)

    let receivers: Receivers
    let enrolled: EnrolledDevices
    let files: AccessoryFolderWatch
    private var buttons: [ObjectPath: BluetoothButton] = [:]
    /// Devices that match a profile but are not enrolled, or released, as they are listed.
    var unused: [ObjectPath: Origin] = [:]
    private var isSessionActive = true
    private var registration: BlueZRegistration?
    /// The serial microphones in use, and the registrations of their service classes.
    var microphones: [ObjectPath: SerialMicrophone] = [:]
    var profiles: BlueZRegistration?
    private(set) lazy var advertising: AdvertisingButtons = AdvertisingButtons(receivers, mirror)

    /// Notified of every change of Bluetooth or a button.
    let changes = ChangeNotifier()
    /// Called when a device has changed; nil: any of them may have.
    var onDeviceChange: @EventLoop (ObjectPath?) -> Void = { _ in }
    private(set) lazy var mirror: BlueZMirror = BlueZMirror(
        log: log,
        shouldWatch: { [weak self, files] device in
            self?.advertising[device.address] != nil
                || !files.catalog.ranked(for: device.description()).isEmpty
        },
        handler: { [weak self] in self?.handle($0) }
    )

    init(_ receivers: Receivers, _ enrolled: EnrolledDevices, _ files: AccessoryFolderWatch) {
        self.receivers = receivers
        self.enrolled = enrolled
        self.files = files
    }

    var list: AccessoryList { receivers.list }

    var log: Logger { receivers.log }

    func start() {
        advertising.onChange = { [changes] in changes.notify() }
        mirror.start()
    }

    /// Ends every press, then disconnects from the bus.
    func close() {
        for button in buttons.values { button.end() }
        for microphone in microphones.values { microphone.end() }
        (buttons, microphones) = ([:], [:])
        (registration, profiles) = (nil, nil)
        advertising.close()
        mirror.close()
    }

    /// Waits, after the start of ptt-accessoryd, until it is known whether Bluetooth is available.
    func waitForAvailability() async {
        _ = await changes.wait(for: .seconds(5)) { [mirror] in mirror.isAvailabilityKnown }
    }

    /// The button at `path`, if it is used.
    subscript(path: ObjectPath) -> BluetoothButton? { buttons[path] }

    /// The entry of a device in the list: of several, as of a microphone that also has media keys, the one
    /// that is ready.
    func entry(of address: String) -> AccessoryDevice? {
        let entries = list.devices.filter { $0.identifier == address }
        return entries.first { $0.link == .ready } ?? entries.first
    }

    /// The hosts of all Bluetooth devices in use.
    var hosts: [AccessoryHost] {
        buttons.values.map(\.host) + microphones.values.map(\.host) + advertising.hosts
    }

    /// The login session of this user became the active one of its seat, or another user's did. Then all
    /// buttons are released, as the headsets are: the person at the seat now must not transmit in our
    /// channel.
    func sessionChanged(isActive: Bool) {
        guard isActive != isSessionActive else { return }
        isSessionActive = isActive
        reviewDevices()
    }

    /// The enrolled devices, the one that is being enrolled, or the accessory files have changed.
    func reviewDevices() {
        guard mirror.connection != nil else { return }
        reviewAll()
        registration?.update(services, managers: mirror.objects.gattManagers)
        changes.notify()
    }

    private func handle(_ event: BlueZMirror.Event) {
        var changed: ObjectPath?
        switch event {
        case .valueReceived(let path, let value, let isNotification):
            // It may be a press, which does not wait for the reviews below.
            return received(value, at: path, isNotification: isNotification)
        case .advertised(let path, let data):
            // An advertisement may be a press, too.
            if let address = mirror.objects.devices[path]?.address {
                advertising.received(data, from: address)
            }
            return
        case .appeared(let connection): appeared(connection)
        case .deviceChanged(let path):
            changed = path
            reviewTwins(of: path)
        case .adapterChanged: reviewAll()
        case .lost: lost()
        }
        registration?.update(services, managers: mirror.objects.gattManagers)
        onDeviceChange(changed)
        changes.notify()
    }

    private func received(_ value: [UInt8], at characteristic: ObjectPath, isNotification: Bool) {
        // Its path is below that of the device. A search would take longer the more buttons there are.
        guard let device = characteristic.parent?.parent, let button = buttons[device],
            let input = button.input(at: characteristic)
        else { return }
        button.handle(isNotification ? .valueNotified(value, input: input) : .valueSeen(value, input: input))
    }

    private func appeared(_ connection: BusConnection) {
        registration = BlueZRegistration(.buttons, on: connection, log: log)
        registerSerialPorts(on: connection)
        advertising.appeared(connection)
        reviewAll()
    }

    private func lost() {
        (registration, profiles) = (nil, nil)
        for button in buttons.values { button.bluetoothLost() }
        updateMicrophones()
        advertising.lost()
    }

    /// The services of the buttons in use, for which BlueZ is to reconnect them.
    private var services: Set<String> {
        Set(buttons.values.flatMap { $0.profile.attributes.map(\.service.text) })
    }

    // MARK: - Which devices are buttons

    private func reviewAll() {
        advertising.use(
            enrolled.uses.compactMap { use in
                advertisingDefinition(use.enrolment).map { definition in
                    (
                        definition,
                        isSessionActive ? use : .init(enrolment: use.enrolment, permission: Self.elsewhere)
                    )
                }
            }
        )
        let paths = Set(mirror.objects.devices.keys).union(buttons.keys).union(microphones.keys)
            .union(unused.keys)
        // Those that are not used first: they change or remove the entry of their device in the list, which
        // the one that is used sets again.
        for path in paths.sorted() where !isPreferred(path) { review(path) }
        for path in paths.sorted() where isPreferred(path) { review(path) }
    }

    /// Of a device that several adapters know, the one that is used may be another one now.
    private func reviewTwins(of path: ObjectPath) {
        let address = mirror.objects.devices[path]?.address ?? origin(at: path)?.identifier
        let twins = address.map { mirror.objects.paths(ofAddress: $0) } ?? []
        if mirror.objects.devices[path] == nil { review(path) }
        for twin in twins.reversed() { review(twin) }
    }

    /// Returns true if it is the one that is used of the devices with its address, which several adapters may
    /// know.
    private func isPreferred(_ path: ObjectPath) -> Bool {
        mirror.objects.devices[path].map { mirror.objects.device(address: $0.address) == path } ?? false
    }

    private func review(_ path: ObjectPath) {
        guard let device = mirror.objects.devices[path], !device.address.isEmpty else { return forget(path) }
        // Bonding shows the address of one that has hidden it.
        if let before = origin(at: path), before.identifier != device.address { forget(path) }
        guard isPreferred(path) else {
            // The list has the entry of the preferred path only.
            unused[path] = nil
            return remove(path)
        }
        let identity = DeviceIdentity(bluetoothAddress: device.address)
        if advertising[device.address] != nil { return forget(path) }
        let use = isSessionActive ? enrolled.use(of: identity) : nil
        if let definition = definition(of: device, use?.enrolment),
            case .serial(let input) = definition.input
        {
            return review(path, device, definition, input, use)
        }
        let best = profile(of: path, use?.enrolment)
        if let use, let button = buttons[path],
            isCurrent(button, at: path, best: best, isChosen: use.enrolment.accessory != nil),
            button.change(to: use)
        {
            return button.update()
        }
        remove(path)
        guard let profile = best else { return leave(device, at: path, use?.enrolment) }
        guard let use else {
            return device.isKnown
                ? list(unused: device.origin, at: path, profile: profile.name, mode: profile.mode)
                : forget(path)
        }
        unused[path] = nil
        log.notice("\(device.origin.name) (\(device.address)) is used as \(profile.name)")
        buttons[path] = BluetoothButton(path, device: device, profile: profile, use: use, mirror, receivers)
    }

    /// The accessory file that was chosen, or the best match as far as that is known without a link.
    func definition(of device: BlueZDevice, _ enrolment: Enrolment?) -> AccessoryDefinition? {
        if let chosen = enrolment?.accessory { return files.catalog[chosen] }
        return files.catalog.ranked(for: device.description()).first
    }

    /// The accessory file for GATT that was chosen, or the best match.
    func profile(of path: ObjectPath, _ enrolment: Enrolment?) -> AccessoryDefinition? {
        guard let chosen = enrolment?.accessory else {
            return mirror.objects.profiles(of: path, in: files.catalog).first
        }
        return files.catalog[chosen].flatMap { $0.attributes.isEmpty ? nil : $0 }
    }

    /// A device without an accessory file, or whose chosen one is missing: then a person should know. A
    /// headset whose keys are used is listed with them.
    private func leave(_ device: BlueZDevice, at path: ObjectPath, _ enrolment: Enrolment?) {
        guard let chosen = enrolment?.accessory, files.catalog[chosen] == nil else { return forget(path) }
        let reason =
            "its accessory file \(chosen).toml is missing or cannot be used: see `pttctl accessory list`"
        list(unused: device.origin, at: path, profile: nil, mode: .unknown, because: reason)
    }

    func list(
        unused origin: Origin,
        at path: ObjectPath,
        profile: String?,
        mode: ButtonMode,
        because reason: String? = nil
    ) {
        unused[path] = origin
        let isEnrolled = enrolled[DeviceIdentity(bluetoothAddress: origin.identifier)] != nil
        let usual = isEnrolled ? Self.elsewhereReason : enrolled.remark(notEnrolled: origin.identifier)
        list.set(origin.unused(reason ?? usual, profile: profile, mode: mode))
    }

    /// Returns true if a button keeps its profile: until another one was chosen, or is known to match. While
    /// a device is away, its services may be unknown.
    private func isCurrent(
        _ button: BluetoothButton,
        at path: ObjectPath,
        best: AccessoryDefinition?,
        isChosen: Bool
    ) -> Bool {
        // A file that was changed, replaced or removed.
        guard files.catalog[button.profile.identifier] == button.profile else { return false }
        if isChosen { return best == button.profile }
        guard let best, best != button.profile else { return true }
        return !mirror.objects.hasCharacteristic(of: path, matching: best)
    }

    /// Ends a button or a microphone. It stays in the list until another entry replaces it.
    func remove(_ path: ObjectPath) {
        // The core ends it for this cause, too, when it has heard of the other session.
        let cause: EndCause = isSessionActive ? .linkLost : .sessionInactive
        buttons.removeValue(forKey: path)?.end(cause)
        if let microphone = microphones.removeValue(forKey: path) {
            microphone.end(cause)
            updateProfiles()
        }
    }

    private func origin(at path: ObjectPath) -> Origin? {
        buttons[path]?.origin ?? microphones[path]?.origin ?? unused[path]
    }

    func forget(_ path: ObjectPath) {
        let origin = origin(at: path)
        remove(path)
        unused[path] = nil
        if let origin { list.remove(origin) }
    }
}
