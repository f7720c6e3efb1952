import DBus
import EventLoop
import Logging

/// Mirrors the objects of BlueZ, across restarts of bluetoothd and of the system bus.
///
/// Calls `GetManagedObjects` once per instance of bluetoothd; from then on signals keep the mirror up to
/// date. It subscribes to property changes only of adapters, of devices that may be buttons, and of requested
/// characteristics: changing signal strengths of devices nearby cause no wake-ups.
@EventLoop
final class BlueZMirror {
    private(set) var objects = BlueZObjects()
    /// The connection, while bluetoothd is running and its objects are known.
    private(set) var connection: BusConnection?
    /// The unique name of bluetoothd, while it is running.
    private(set) var owner: String?
    /// Why bluetoothd was lost last; nil before it has answered.
    private var loss: String?
    /// Why there is no connection, for people.
    var unavailability: String { loss ?? "BlueZ has not answered yet" }
    /// True once it is known if bluetoothd is running.
    var isAvailabilityKnown: Bool { connection != nil || loss != nil }

    private static let unlisted =
        ". bluetoothd had not listed its devices: if that repeats, the list is larger than 4 MiB; remove some with `bluetoothctl remove`, or restart bluetoothd"

    private let log: Logger
    private let handler: @EventLoop (Event) -> Void
    /// Returns true if a device that is neither trusted nor paired nor connected should be watched.
    private let shouldWatch: @EventLoop (BlueZDevice) -> Bool
    private var bus: Bus?
    private var candidate: BusConnection?
    private var nameWatch: Subscription?
    private var managedObjects: Subscription?
    private lazy var watches = Dictionary(
        uniqueKeysWithValues: [BlueZ.adapter, BlueZ.device, BlueZ.battery, BlueZ.characteristic].map {
            interface in
            (interface, PropertyWatches(interface) { [weak self] in self?.changed($0) })
        }
    )
    private var backOff: BackOff
    /// Before the next call of `GetManagedObjects`; zero once the objects are known.
    private var delay = Duration.zero
    private lazy var retry = TimerSource { [weak self] in self?.getManagedObjects() }
    private lazy var starter = BlueZStarter(log: log)
    /// Its signals tell a notification from a read.
    let notifications: Notifications
    private var notified: [ObjectPath: NotifiedValue] = [:]
    /// Checks bluetoothd while a transmission waits for a release.
    private(set) lazy var keepAlive = BlueZKeepAlive { [weak self] in self?.connection }
    /// Incremented with each owner of the name, so that an answer of an earlier one is recognised.
    private var generation = 0

    init(
        log: Logger,
        backOff: BackOff = BackOff(limit: .seconds(60)),
        shouldWatch: @escaping @EventLoop (BlueZDevice) -> Bool,
        handler: @escaping @EventLoop (Event) -> Void
    ) {
        self.log = log
        self.backOff = backOff
        notifications = Notifications(log: log)
        self.shouldWatch = shouldWatch
        self.handler = handler
    }

    /// Connects to the bus, now or as soon as it is running.
    func start(_ address: BusAddress = .system) {
        bus = Bus(address) { [weak self] event in
            switch event {
            case .connected(let connection): self?.busConnected(connection)
            case .disconnected(let error): self?.busLost(error)
            }
        }
    }

    /// Ends the connection. bluetoothd then ends our notifications; the setting in the devices remains.
    func close() {
        reset()
        nameWatch = nil
        notifications.close()
        bus = nil
    }

    /// Subscribes to the property changes of an object, and reads its present properties.
    func watch(_ path: ObjectPath, _ interface: String) {
        guard let candidate, watches[interface]?.add(path, on: candidate) == true else { return }
        let generation = generation
        // Changes between the appearance of the object and this subscription were missed.
        candidate.call(BlueZ.remote(interface, of: path).getAll()) { [weak self] result in
            guard let self, generation == self.generation else { return }
            switch result {
            case .success(let values):
                // `Value` is ignored here: it is an old value, not a notification.
                apply(PropertyReader(values.first?.asProperties ?? [:]), of: interface, to: path)
            case .failure(let error):
                // If the object was removed meanwhile, InterfacesRemoved reports that.
                log.debug("\(error)")
            }
        }
    }

    func unwatch(_ path: ObjectPath) {
        for watches in watches.values { watches.remove(path, on: candidate) }
        notified[path] = nil
    }

    /// Subscribes to the property changes of all devices, for a discovery, until the result is dropped.
    func watchAllDevices() -> Subscription? {
        candidate.map { connection in
            PropertyWatches.subscribe(to: BlueZ.device, on: connection) { [weak self] in self?.changed($0) }
        }
    }

    // MARK: - The bus and the name

    private func busConnected(_ connection: BusConnection) {
        notifications.connect(beside: connection) { [weak self] in self?.bothConnected(connection) }
    }

    private func bothConnected(_ connection: BusConnection) {
        candidate = connection
        nameWatch = connection.watchName(BlueZ.name) { [weak self] owner in
            if let owner { self?.ownerAppeared(owner) } else { self?.ownerLost() }
        }
    }

    private func busLost(_ error: BusError) {
        let hint = delay == .zero ? "" : Self.unlisted
        log.error("\(error): Bluetooth buttons need it; waiting for it\(hint)")
        nameWatch = nil
        lose("bluetoothd cannot be reached: \(error)\(hint)")
        candidate = nil
        notifications.close()
    }

    private func ownerAppeared(_ owner: String) {
        // One signal may report both the new owner and the loss of the old one.
        if generation > 0, managedObjects != nil { lose("bluetoothd was replaced") }
        self.owner = owner
        generation += 1
        starter.stop()
        if delay == .zero { loss = nil }
        managedObjects = candidate?.subscribe(.managedObjects(of: BlueZ.name)) { [weak self] in
            self?.managedObjectsChanged($0)
        }
        retry.arm(after: delay)
    }

    private func ownerLost() {
        backOff.reset()
        delay = .zero
        // A regular stop removes the objects first. If there are any left, it has crashed, and nothing else
        // restarts it: Debian's bluetooth.service has no Restart=.
        let hasCrashed = !objects.adapters.isEmpty
        if hasCrashed {
            log.error("bluetoothd has crashed; restarting it")
        } else {
            log.notice("bluetoothd is not running: Bluetooth buttons work as soon as it is")
        }
        lose("bluetoothd is not running: systemctl status bluetooth")
        if hasCrashed, let candidate { starter.start(on: candidate) }
    }

    private func lose(_ reason: String) {
        loss = reason
        reset()
        handler(.lost)
    }

    private func reset() {
        generation += 1
        retry.disarm()
        starter.stop()
        managedObjects = nil
        for watches in watches.values { watches.removeAll() }
        notified = [:]
        notifications.forget()
        connection = nil
        owner = nil
        objects = BlueZObjects()
    }

    // MARK: - Objects

    private func getManagedObjects() {
        guard let candidate else { return }
        let generation = generation
        // Also on the next connection: an answer larger than a message may be ends each of them.
        delay = backOff.next()
        var call = MethodCall.getManagedObjects(of: BlueZ.name)
        call.startsService = false
        candidate.call(call) { [weak self] result in
            guard let self, generation == self.generation else { return }
            switch result {
            case .success(let values): managedObjectsReceived(values.first?.asManagedObjects)
            case .failure(let error):
                log.warning("\(error); retrying")
                retry.arm(after: delay)
            }
        }
    }

    private func managedObjectsReceived(_ managed: [ObjectPath: [BusKey: [BusKey: BusValue]]]?) {
        guard let managed, let candidate else {
            log.error("bluetoothd's answer to GetManagedObjects is malformed; retrying")
            retry.arm(after: delay)
            return
        }
        backOff.reset()
        delay = .zero
        objects = BlueZObjects()
        // By path: services come before their characteristics.
        for path in managed.keys.sorted() { warn(objects.add(path, managed[path] ?? [:])) }
        connection = candidate
        for path in objects.adapters.keys { watch(path, BlueZ.adapter) }
        for path in objects.devices.keys { watchIfRelevant(path) }
        handler(.appeared(candidate))
    }

    private func managedObjectsChanged(_ signal: BusSignal) {
        guard let path = signal.arguments.first?.asObjectPath, signal.arguments.count == 2 else { return }
        if signal.member == "InterfacesAdded", let interfaces = signal.arguments[1].asInterfaces {
            warn(objects.add(path, interfaces))
            guard objects.contains(path) else { return }
            reportAdvertisement(of: path, since: nil)
            if objects.adapters[path] != nil { watch(path, BlueZ.adapter) }
            let device = objects.device(of: path)
            if let device { watchIfRelevant(device) }
            // Another program uses it, and its connection was not seen: MediaControl1 comes with the keys of
            // a headset.
            if device == path, interfaces[BusKey(BlueZ.device)] == nil { watch(path, BlueZ.device) }
            report(device)
        } else if signal.member == "InterfacesRemoved", let interfaces = signal.arguments[1].asStrings {
            guard objects.contains(path) else { return }
            let device = objects.device(of: path)
            objects.remove(path, interfaces)
            if objects.adapters[path] == nil, objects.devices[path] == nil { unwatch(path) }
            if objects.batteries[path] == nil { watches[BlueZ.battery]?.remove(path, on: candidate) }
            report(device)
        }
    }

    /// Nothing is reported before all objects are known. Without a device it is an adapter that has changed.
    private func report(_ device: ObjectPath?) {
        guard connection != nil else { return }
        if let device { handler(.deviceChanged(device)) } else { handler(.adapterChanged) }
    }

    private func watchIfRelevant(_ path: ObjectPath) {
        guard let device = objects.devices[path] else { return }
        if device.isKnown || objects.hasServices(path) || shouldWatch(device) { watch(path, BlueZ.device) }
        if objects.batteries[path] != nil { watch(path, BlueZ.battery) }
    }

    private func changed(_ signal: BusSignal) {
        guard let changes = signal.propertyChanges else {
            return log.warning("\(signal.path): ignored a malformed PropertiesChanged signal")
        }
        let value = changes.interface == BlueZ.characteristic ? changes.changed["Value"] : nil
        // A press is a value alone, and must not wait for anything else.
        if value == nil || changes.changed.count > 1 {
            let properties = PropertyReader(changes.changed, invalidated: changes.invalidated)
            apply(properties, of: changes.interface, to: signal.path)
        }
        guard let value else { return }
        guard let bytes = value.asBytes else {
            return log.warning("\(signal.path): ignored a value that is not an array of bytes")
        }
        let isNotification = notified[signal.path, default: NotifiedValue()]
            .isNotified(bytes, serial: signal.serial)
        handler(.valueReceived(signal.path, bytes, isNotification: isNotification))
    }

    private func apply(_ properties: PropertyReader, of interface: String, to path: ObjectPath) {
        let advertised = objects.devices[path]?.advertised
        defer { reportAdvertisement(of: path, since: advertised) }
        let (hasChanged, warnings) = objects.apply(properties, of: interface, to: path)
        warn(warnings)
        if hasChanged { report(objects.device(of: path)) }
    }

    /// Advertisements from before it was observed are not reported.
    private func reportAdvertisement(of path: ObjectPath, since before: [UInt8]?) {
        guard connection != nil, let advertised = objects.devices[path]?.advertised, advertised != before
        else {
            return
        }
        handler(.advertised(path, advertised))
    }

    private func warn(_ warnings: [String]) {
        for warning in warnings { log.warning("\(warning)") }
    }
}
