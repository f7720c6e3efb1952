import AccessoryCore
import DBus
import EventLoop

/// One button as bluetoothd knows it.
@EventLoop
final class SimulatedDevice: SimulatedPeripheral {
    /// bluetoothd gives up connecting after about 41 s.
    private static let connectTimeout = Duration.seconds(41)

    let button: VirtualButton
    /// True if a link of classic Bluetooth is up, for sound. bluetoothd has one `Connected` for both.
    private var isSoundConnected = false

    private var areServicesResolved = false
    private var services: [ExportedObject] = []
    private var characteristics: [SimulatedCharacteristic] = []
    private lazy var pairing = SimulatedPairing(of: self)
    private lazy var linkUp = TimerSource { [unowned self] in established() }
    private lazy var resolving = TimerSource { [unowned self] in resolved() }
    private lazy var connectTimer = TimerSource { [unowned self] in connectTimedOut() }

    init(_ button: VirtualButton, on adapter: SimulatedAdapter, isFound: Bool) throws(BusError) {
        self.button = button
        try super.init(button.number, button.stored, on: adapter, isFound: isFound)
        try export(methods, state)
    }

    var isResolving: Bool { isConnected && !areServicesResolved }

    /// Notifies a value of an input. Returns true if its notifications are on.
    func notify(_ value: [UInt8], input: Int) -> Bool {
        guard isConnected else { return false }
        return characteristics.first { $0.input == input }?.notify(value) ?? false
    }

    /// It has advertised other service data.
    func advertised() {
        found()
        changed("ServiceData")
    }

    /// Advertised, and, once it was connected, discovered.
    private var uuids: [String] {
        // bluetoothd 5.66 does not list the UUID of the service data.
        let advertised = button.advertises ? [] : button.advertisedServices
        guard stored.isKept || !services.isEmpty else { return advertised }
        return advertised + button.services.filter { !advertised.contains($0) }
    }

    // MARK: - The link

    override func seekLink() {
        guard canLink else { return }
        linkUp.arm(after: SimulatedAdapter.advertisingInterval)
    }

    /// Waits for the button, as long as bluetoothd does.
    func waitForLink() {
        connectTimer.arm(after: Self.connectTimeout)
        seekLink()
    }

    private var canLink: Bool {
        let isWanted =
            connecting != nil || pairing.needsLink
            || (stored.isTrusted && uuids.contains { adapter.profiles.contains($0) })
        return isWanted && !isConnected && adapter.isPowered && button.radio == .awake
    }

    private func established() {
        guard canLink else { return }
        isConnected = true
        connectTimer.disarm()
        if !isSoundConnected { changed("Connected") }
        connecting?.reply()
        connecting = nil
        resolving.arm(after: button.resolveTime)
        pairing.linked()
    }

    /// Starts with an established link and resolved services.
    func startConnected() {
        isConnected = true
        changed("Connected")
        resolved()
    }

    private func resolved() {
        guard isConnected else { return }
        if services.isEmpty {
            let before = uuids
            // Fails only if the connection has ended, and then there are no clients.
            try? exportServices()
            if uuids != before { changed("UUIDs") }
        }
        // bluetoothd turns notifications on again before it reports that the services are resolved.
        for characteristic in characteristics { characteristic.linked() }
        areServicesResolved = true
        changed("ServicesResolved")
    }

    /// The GATT objects remain.
    override func loseLink() {
        guard isConnected else { return }
        isConnected = false
        areServicesResolved = false
        resolving.disarm()
        if isSoundConnected { changed("ServicesResolved") } else { changed("ServicesResolved", "Connected") }
        pairing.fail(.authenticationFailed)
        seekLink()
    }

    /// The link for sound comes or goes. When it goes, bluetoothd clears `ServicesResolved` for the other
    /// link as well.
    func setSound(_ isUp: Bool) {
        guard isUp != isSoundConnected else { return }
        isSoundConnected = isUp
        if isUp {
            button.isDualMode = true
            changed("Class", "AddressType")
        } else {
            areServicesResolved = false
            changed("ServicesResolved")
        }
        if !isConnected { changed("Connected") }
    }

    override func adapterOff() {
        linkUp.disarm()
        connecting?.fail(.bluezFailed("le-connection-abort-by-local"))
        connecting = nil
        connectTimer.disarm()
        pairing.fail(.authenticationFailed)
        loseLink()
    }

    private func connectTimedOut() {
        connecting?.fail(.bluezFailed("le-connection-abort-by-local"))
        connecting = nil
        if pairing.needsLink { pairing.fail(.connectionAttemptFailed) }
    }

    /// Removes all objects of this device, the deepest first.
    override func remove() {
        adapterOff()
        for characteristic in characteristics { characteristic.remove() }
        for service in services { service.withdraw() }
        (characteristics, services) = ([], [])
        super.remove()
    }

    override func clientLeft(_ client: String) {
        for characteristic in characteristics { characteristic.clientLeft(client) }
    }

    // MARK: - D-Bus

    private func connect(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(.bluezFailed("Input/output error")) }
        guard connecting == nil else { return call.fail(.inProgress) }
        guard !isConnected else { return call.reply() }
        connecting = call
        waitForLink()
    }

    private func disconnect(_ call: MethodInvocation) {
        if let connecting {
            connecting.fail(.bluezFailed("br-connection-canceled"))
            self.connecting = nil
            connectTimer.disarm()
        } else if !isConnected, !isSoundConnected {
            return call.fail(.notConnected)
        }
        setSound(false)
        loseLink()
        call.reply()
    }

    /// Exports each service, and then its characteristics, with the handles that most buttons have.
    private func exportServices() throws(BusError) {
        var handle = 10
        for uuid in button.services {
            let parent = try attributePath(path, "service", handle)
            handle += 1
            services.append(try adapter.daemon.connection.export(parent, [service(uuid)]))
            for characteristic in button.characteristics where characteristic.attribute.service.text == uuid {
                characteristics.append(
                    try SimulatedCharacteristic(
                        characteristic,
                        of: self,
                        service: parent,
                        path: try attributePath(parent, "char", handle)
                    )
                )
                // Its declaration, its value and its Client Characteristic Configuration.
                handle += 3
            }
        }
    }

    private func attributePath(_ parent: ObjectPath, _ kind: String, _ handle: Int) throws(BusError)
        -> ObjectPath
    {
        let digits = String(handle + 0x10000, radix: 16).dropFirst()
        guard let path = parent.appending(kind + digits) else {
            throw .failed("\(parent) cannot have services")
        }
        return path
    }

    private func service(_ uuid: String) -> ExportedInterface {
        ExportedInterface(
            BlueZNames.service,
            properties: [
                ExportedProperty("UUID", "s") { .string(uuid) },
                ExportedProperty("Device", "o") { [path] in .objectPath(path) },
                ExportedProperty("Primary", "b") { .boolean(true) },
                ExportedProperty("Includes", "ao") { .array(of: "o", []) },
            ]
        )
    }

    private var methods: [ExportedMethod] {
        [
            ExportedMethod("Connect") { [unowned self] in connect($0) },
            ExportedMethod("Disconnect") { [unowned self] in disconnect($0) },
            ExportedMethod("Pair") { [unowned self] in pairing.start($0) },
            ExportedMethod("CancelPairing") { [unowned self] in pairing.cancel($0) },
        ]
    }

    private var state: [ExportedProperty] {
        [
            ExportedProperty("AddressType", "s") { [unowned self] in
                .string(button.isDualMode || button.advertises ? "public" : "random")
            },
            ExportedProperty("UUIDs", "as") { [unowned self] in .strings(uuids) },
            ExportedProperty("Connected", "b") { [unowned self] in .boolean(isConnected || isSoundConnected)
            },
            ExportedProperty("ServiceData", "a{sv}") { [button] in
                button.advertised.map { .properties([BusKey(BTHome.service.text): .bytes($0)]) }
            },
            // Of a headset (Assigned Numbers, 2.8).
            ExportedProperty("Class", "u") { [unowned self] in button.isDualMode ? .uint32(0x240404) : nil },
            ExportedProperty("ServicesResolved", "b") { [unowned self] in .boolean(areServicesResolved) },
        ]
    }
}
