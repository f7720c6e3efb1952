import DBus
import EventLoop

/// The devices that a client wants a discovery to report; all if it has not said.
struct DiscoveryFilter {
    /// Any of these services; none: any device.
    var uuids: [String] = []
    /// `auto`, `le` or `bredr`.
    var transport: String?
}

/// `org.bluez.Adapter1`: power, discovery, and the devices behind it.
@EventLoop
final class SimulatedAdapter {
    /// The time for which a temporary device remains after the last discovery (`TemporaryTimeout` of
    /// main.conf).
    static nonisolated let temporaryTimeout = Duration.seconds(30)
    /// About one advertising interval: the time until an advertising button is detected.
    static nonisolated let advertisingInterval = Duration.milliseconds(30)
    /// Until the kernel has told the adapter to discover.
    static nonisolated let startTime = Duration.milliseconds(20)

    unowned let daemon: SimulatedDaemon
    private(set) var isPowered = true
    /// By the number of their accessory.
    private(set) var peripherals: [Int: SimulatedPeripheral] = [:]

    private let address = "00:1B:DC:00:00:01"
    private let accessories: [any VirtualAccessory]
    private var object: ExportedObject?
    private var discoverers: Set<String> = []
    /// The calls that are answered when the adapter discovers.
    private var starting: [String: MethodInvocation] = [:]
    private lazy var start = TimerSource { [unowned self] in answerStarting() }
    /// Of each client.
    private var filters: [String: DiscoveryFilter] = [:]
    private(set) lazy var profiles = ProfileRegistry(of: self)
    private lazy var monitors = AdvertisementMonitorManager(of: self)
    private lazy var report = TimerSource { [unowned self] in reportAdvertisements() }
    private lazy var expiry = TimerSource { [unowned self] in removeTemporary() }

    init(of daemon: SimulatedDaemon, _ accessories: [any VirtualAccessory]) {
        self.daemon = daemon
        self.accessories = accessories
    }

    func appear() throws(BusError) {
        let interfaces =
            [interface, profiles.interface] + (daemon.isExperimental ? [monitors.interface] : [])
        object = try daemon.connection.export(BlueZNames.adapterPath, interfaces)
        for accessory in accessories where accessory.stored.isKept { try add(accessory, isFound: false) }
    }

    /// In the order of bluetoothd when an adapter is unplugged.
    func disappear() {
        if isPowered {
            isPowered = false
            endDiscoveries()
            object?.emitPropertiesChanged(BlueZNames.adapter, ["Powered", "Discovering"])
        }
        for peripheral in peripherals.values { peripheral.remove() }
        peripherals = [:]
        object?.withdraw()
        object = nil
    }

    func setPower(_ isOn: Bool) {
        guard isOn != isPowered else { return }
        isPowered = isOn
        if isOn {
            object?.emitPropertiesChanged(BlueZNames.adapter, ["Powered"])
        } else {
            for peripheral in peripherals.values { peripheral.adapterOff() }
            endDiscoveries()
            expiry.arm(after: Self.temporaryTimeout)
            object?.emitPropertiesChanged(BlueZNames.adapter, ["Powered", "Discovering"])
        }
        radioChanged()
    }

    /// Called when the state of a button or the demand for one has changed: connects buttons, and updates
    /// discoveries.
    func radioChanged() {
        guard isPowered else { return }
        for peripheral in peripherals.values { peripheral.seekLink() }
        if !discoverers.isEmpty { report.arm(after: Self.advertisingInterval) }
    }

    /// A button has advertised something. Returns true if it was received, as it is while somebody listens.
    func advertised(_ button: VirtualButton) -> Bool {
        guard isPowered, !discoverers.isEmpty || monitors.isActive, button.radio == .awake else {
            return false
        }
        if let device = peripherals[button.number] as? SimulatedDevice {
            device.advertised()
        } else {
            // Fails only if the connection has ended, and then there are no clients.
            try? add(button, isFound: true)
        }
        if discoverers.isEmpty { expiry.arm(after: Self.temporaryTimeout) }
        return true
    }

    func clientLeft(_ client: String) {
        profiles.clientLeft(client)
        monitors.clientLeft(client)
        filters[client] = nil
        endDiscovery(of: client)
        for peripheral in peripherals.values { peripheral.clientLeft(client) }
    }

    private func add(_ accessory: any VirtualAccessory, isFound: Bool) throws(BusError) {
        peripherals[accessory.number] = try accessory.peripheral(on: self, isFound: isFound)
    }

    // MARK: - Discovery

    private func reportAdvertisements() {
        guard isPowered, !discoverers.isEmpty else { return }
        let wanted = discoverers.map { filters[$0] ?? DiscoveryFilter() }
        for accessory in accessories
        where accessory.radio == .awake && wanted.contains(where: { accessory.isReported(to: $0) }) {
            if let peripheral = peripherals[accessory.number] {
                peripheral.found()
            } else {
                // As above: there are no clients then.
                try? add(accessory, isFound: true)
            }
        }
    }

    private func startDiscovery(_ call: MethodInvocation) {
        guard isPowered else { return call.fail(.notReady) }
        guard discoverers.insert(call.sender).inserted else { return call.fail(.inProgress) }
        daemon.watch(call.sender)
        expiry.disarm()
        starting[call.sender] = call
        start.arm(after: Self.startTime)
    }

    private func answerStarting() {
        let isFirst = starting.count == discoverers.count
        for call in starting.values { call.reply() }
        starting = [:]
        if isFirst { object?.emitPropertiesChanged(BlueZNames.adapter, ["Discovering"]) }
        radioChanged()
    }

    private func endDiscoveries() {
        for call in starting.values { call.fail(.notReady) }
        (discoverers, starting) = ([], [:])
        start.disarm()
    }

    private func stopDiscovery(_ call: MethodInvocation) {
        guard isPowered else { return call.fail(.notReady) }
        guard discoverers.contains(call.sender) else {
            return call.fail(.bluezFailed("No discovery started"))
        }
        guard starting[call.sender] == nil else { return call.fail(.inProgress) }
        call.reply()
        endDiscovery(of: call.sender)
    }

    private func endDiscovery(of client: String) {
        starting[client] = nil
        guard discoverers.remove(client) != nil, discoverers.isEmpty else { return }
        start.disarm()
        for peripheral in peripherals.values { peripheral.discoveryEnded() }
        expiry.arm(after: Self.temporaryTimeout)
        object?.emitPropertiesChanged(BlueZNames.adapter, ["Discovering"])
    }

    private func setFilter(_ call: MethodInvocation) {
        let properties = call.arguments[0].asProperties ?? [:]
        let known: Set<BusKey> = [
            "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
        ]
        guard properties.keys.allSatisfy(known.contains) else {
            return call.fail(.invalidBlueZArguments)
        }
        filters[call.sender] = DiscoveryFilter(
            uuids: properties["UUIDs"]?.asStrings?.map { $0.lowercased() } ?? [],
            transport: properties["Transport"]?.asString
        )
        daemon.watch(call.sender)
        call.reply()
    }

    private func removeTemporary() {
        for peripheral in peripherals.values where peripheral.isTemporary { remove(peripheral) }
    }

    private func removeDevice(_ call: MethodInvocation) {
        let path = call.arguments[0].asObjectPath
        guard let peripheral = peripherals.values.first(where: { $0.path == path }) else {
            return call.fail(.doesNotExist)
        }
        peripheral.stored.forget()
        remove(peripheral)
        call.reply()
        radioChanged()
    }

    private func remove(_ peripheral: SimulatedPeripheral) {
        peripherals[peripheral.number] = nil
        peripheral.remove()
    }

    // MARK: - D-Bus

    private var interface: ExportedInterface {
        ExportedInterface(
            BlueZNames.adapter,
            methods: [
                ExportedMethod("StartDiscovery") { [unowned self] in startDiscovery($0) },
                ExportedMethod("StopDiscovery") { [unowned self] in stopDiscovery($0) },
                ExportedMethod("SetDiscoveryFilter", inputs: ["properties": "a{sv}"]) { [unowned self] in
                    setFilter($0)
                },
                ExportedMethod("RemoveDevice", inputs: ["device": "o"]) { [unowned self] in
                    removeDevice($0)
                },
            ],
            properties: [
                ExportedProperty("Address", "s") { [address] in .string(address) },
                ExportedProperty("AddressType", "s") { .string("public") },
                ExportedProperty("Name", "s") { .string("ptt-sim") },
                ExportedProperty("Alias", "s") { .string("ptt-sim") },
                ExportedProperty("Powered", "b") { [unowned self] in
                    .boolean(isPowered)
                } set: { [unowned self] value throws(BusError) in
                    setPower(value.asBool ?? false)
                },
                ExportedProperty("Discovering", "b") { [unowned self] in
                    .boolean(discoverers.count > starting.count)
                },
                ExportedProperty("UUIDs", "as") { .strings([]) },
            ]
        )
    }
}
