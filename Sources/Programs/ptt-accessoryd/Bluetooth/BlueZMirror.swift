import DBus
import EventLoop
import Logging

/// Mirrors the objects of BlueZ, and follows it through restarts of bluetoothd and of the system bus.
///
/// Asks for all objects once per life of bluetoothd; after that signals keep the picture true. Property changes are
/// received only for adapters, for devices that may concern us, and for characteristics that were asked for: the
/// signal strengths of the neighbourhood wake nobody.
@EventLoop
final class BlueZMirror {
    enum Event {
        /// bluetoothd is there, and its objects are known. What was registered with an earlier one is gone.
        case appeared(BusConnection)
        /// An adapter came, changed or went.
        case adapterChanged(ObjectPath)
        /// A device, or something that belongs to it, came, changed or went.
        case deviceChanged(ObjectPath)
        /// A notification of a watched characteristic, or the answer to somebody's read of it.
        case valueReceived(ObjectPath, [UInt8])
        /// bluetoothd or the bus is gone, and with it every link that it held; or it was not there to begin with.
        case lost
    }

    private(set) var objects = BlueZObjects()
    /// The connection, while bluetoothd is there and its objects are known.
    private(set) var connection: BusConnection?
    /// Why there is no connection, for people.
    private(set) var absence = "BlueZ has not answered yet"
    /// Whether it has turned out by now that bluetoothd is there or is not.
    private(set) var isDecided = false

    private static let callLimit = Duration.seconds(10)

    private let log: Logger
    private let handler: @EventLoop (Event) -> Void
    /// Whether a device that is neither known to the user nor connected is worth following.
    private let mayConcernUs: @EventLoop (BlueZDevice) -> Bool
    private var bus: Bus?
    private var candidate: BusConnection?
    private var nameWatch: Subscription?
    private var managedObjects: Subscription?
    private var followed: [ObjectPath: Subscription] = [:]
    private var backOff = BackOff()
    private lazy var retry = TimerSource { [weak self] in self?.askForObjects() }
    private lazy var starter = BlueZStarter(log: log)
    /// For those who wait for a release.
    private(set) lazy var keepAlive = BlueZKeepAlive { [weak self] in self?.connection }
    /// Counts owners of the name, so that an answer about an earlier one is recognised.
    private var life = 0

    init(
        log: Logger,
        mayConcernUs: @escaping @EventLoop (BlueZDevice) -> Bool,
        handler: @escaping @EventLoop (Event) -> Void
    ) {
        self.log = log
        self.mayConcernUs = mayConcernUs
        self.handler = handler
    }

    /// Connects to the bus, now or as soon as it is there.
    func start(_ address: BusAddress = .system) {
        bus = Bus(address) { [weak self] event in
            switch event {
            case .connected(let connection): self?.busConnected(connection)
            case .disconnected(let error): self?.busLost(error)
            }
        }
    }

    /// Ends the connection. bluetoothd ends our notifications itself; devices keep their own setting.
    func close() {
        forgetEverything()
        nameWatch = nil
        bus?.close()
        bus = nil
    }

    /// Receives the property changes of an object from now on; asks for the present ones of a device.
    func follow(_ path: ObjectPath, _ interface: String) {
        guard let candidate, followed[path] == nil else { return }
        let life = life
        followed[path] = candidate.subscribe(.propertyChanges(interface, of: BlueZ.name, path: path)) {
            [weak self] signal in
            self?.changed(signal)
        }
        // What changed between its appearance and this subscription was told to nobody.
        candidate.call(.getProperties(interface, of: BlueZ.name, path: path), timeout: Self.callLimit) {
            [weak self] result in
            guard let self, life == self.life else { return }
            switch result {
            case .success(let values):
                // The `Value` among them is an old one, and no notification.
                apply(PropertyReader(values.first?.asProperties ?? [:]), of: interface, to: path)
            case .failure(let error):
                // An object that went meanwhile is told by InterfacesRemoved.
                log.debug("\(error)")
            }
        }
    }

    func unfollow(_ path: ObjectPath) {
        followed[path] = nil
    }

    /// Receives the changes of every device while the result is kept, for a scan.
    func followAllDevices() -> Subscription? {
        let rule = MatchRule(
            sender: BlueZ.name,
            pathNamespace: BlueZ.root,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            firstArgument: BlueZ.device
        )
        return candidate?.subscribe(rule) { [weak self] in self?.changed($0) }
    }

    // MARK: - The bus and the name

    private func busConnected(_ connection: BusConnection) {
        candidate = connection
        nameWatch = connection.watchName(BlueZ.name) { [weak self] owner in
            if owner != nil { self?.ownerAppeared() } else { self?.ownerLost() }
        }
    }

    private func busLost(_ error: BusError) {
        log.error("\(error): Bluetooth buttons do not work without it; waiting for it")
        nameWatch = nil
        lose("bluetoothd cannot be reached: \(error)")
        candidate = nil
    }

    private func ownerAppeared() {
        // The new owner may come in one step with the loss of the old one.
        if life > 0, managedObjects != nil { lose("bluetoothd was replaced") }
        life += 1
        starter.stop()
        isDecided = false
        absence = "BlueZ has not answered yet"
        managedObjects = candidate?.subscribe(.managedObjects(of: BlueZ.name)) { [weak self] in
            self?.treeChanged($0)
        }
        askForObjects()
    }

    private func ownerLost() {
        // An orderly stop removes its objects first. Objects left behind mean a crash, which nobody else repairs:
        // Debian's bluetooth.service has no Restart=.
        let hasCrashed = !objects.adapters.isEmpty
        if hasCrashed {
            log.error("bluetoothd has crashed; starting it again")
        } else {
            log.notice("bluetoothd is not running: Bluetooth buttons are used as soon as it is")
        }
        lose("bluetoothd is not running: systemctl status bluetooth")
        if hasCrashed, let candidate { starter.start(on: candidate) }
    }

    private func lose(_ reason: String) {
        absence = reason
        isDecided = true
        forgetEverything()
        handler(.lost)
    }

    private func forgetEverything() {
        life += 1
        retry.disarm()
        backOff.reset()
        starter.stop()
        managedObjects = nil
        followed = [:]
        connection = nil
        objects = BlueZObjects()
    }

    // MARK: - Objects

    private func askForObjects() {
        guard let candidate else { return }
        let life = life
        var call = MethodCall.getManagedObjects(of: BlueZ.name)
        call.startsService = false
        candidate.call(call, timeout: Self.callLimit) { [weak self] result in
            guard let self, life == self.life else { return }
            switch result {
            case .success(let values): treeReceived(values.first?.asManagedObjects)
            case .failure(let error):
                log.warning("\(error); trying again")
                retry.arm(after: backOff.next())
            }
        }
    }

    private func treeReceived(_ tree: [ObjectPath: [BusKey: [BusKey: BusValue]]]?) {
        guard let tree, let candidate else {
            log.error("bluetoothd described its objects in a way that makes no sense; trying again")
            retry.arm(after: backOff.next())
            return
        }
        backOff.reset()
        objects = BlueZObjects()
        for (path, interfaces) in tree { complain(objects.add(path, interfaces)) }
        connection = candidate
        isDecided = true
        for path in objects.adapters.keys { follow(path, BlueZ.adapter) }
        for path in objects.devices.keys { followIfConcerned(path) }
        handler(.appeared(candidate))
    }

    private func treeChanged(_ signal: BusSignal) {
        guard let path = signal.arguments.first?.asObjectPath, signal.arguments.count == 2 else { return }
        if signal.member == "InterfacesAdded", let interfaces = signal.arguments[1].asInterfaces {
            complain(objects.add(path, interfaces))
            if objects.adapters[path] != nil { follow(path, BlueZ.adapter) }
            let device = objects.device(of: path)
            if let device { followIfConcerned(device) }
            tell(path, device)
        } else if signal.member == "InterfacesRemoved", let interfaces = signal.arguments[1].asStrings {
            let device = objects.device(of: path)
            objects.remove(path, interfaces)
            if objects.adapters[path] == nil, objects.devices[path] == nil { followed[path] = nil }
            tell(path, device)
        }
    }

    /// Nothing is told before the whole picture is known.
    private func tell(_ path: ObjectPath, _ device: ObjectPath?) {
        guard connection != nil else { return }
        if let device { handler(.deviceChanged(device)) } else { handler(.adapterChanged(path)) }
    }

    private func followIfConcerned(_ path: ObjectPath) {
        guard let device = objects.devices[path] else { return }
        let isKnown = device.isTrusted || device.isPaired || device.isConnected || objects.hasServices(path)
        if isKnown || mayConcernUs(device) { follow(path, BlueZ.device) }
    }

    private func changed(_ signal: BusSignal) {
        guard let changes = signal.propertyChanges else {
            return log.warning(
                "\(signal.path): a PropertiesChanged signal that makes no sense is passed over"
            )
        }
        let value = changes.interface == BlueZ.characteristic ? changes.changed["Value"] : nil
        // A press comes as a value alone, and has nothing to wait for.
        if value == nil || changes.changed.count > 1 {
            let properties = PropertyReader(changes.changed, invalidated: changes.invalidated)
            apply(properties, of: changes.interface, to: signal.path)
        }
        guard let value else { return }
        guard let bytes = value.asBytes else {
            return log.warning("\(signal.path): a value that is no bytes is passed over")
        }
        handler(.valueReceived(signal.path, bytes))
    }

    private func apply(_ properties: PropertyReader, of interface: String, to path: ObjectPath) {
        let before = objects
        complain(objects.apply(properties, of: interface, to: path))
        if objects != before { tell(path, objects.device(of: path)) }
    }

    private func complain(_ complaints: [BlueZObjects.Complaint]) {
        for complaint in complaints { log.warning("\(complaint)") }
    }
}
