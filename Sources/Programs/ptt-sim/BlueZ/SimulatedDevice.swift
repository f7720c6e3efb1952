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
    private var services: SimulatedServices?
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

    /// Notifies a value of an input.
    ///
    /// - Returns: Whether notifications of that input are on.
    func notify(_ value: [UInt8], input: Int) -> Bool {
        guard isConnected, let services else { return false }
        return services.notify(value, input: input)
    }

    /// It has advertised other service data.
    func advertised() {
        found()
        changed("ServiceData")
    }

    /// Advertised, and, once it was connected, discovered.
    private var uuids: [String] {
        // That of service data is not among them, in bluetoothd 5.66.
        let advertised = button.advertises ? [] : button.advertisedServices
        guard stored.isKept || services != nil else { return advertised }
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
            || (stored.isTrusted && uuids.contains { adapter.isProfileRegistered($0) })
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
        if services == nil {
            let before = uuids
            // Fails only if the connection has ended, and then there are no clients.
            services = try? SimulatedServices(of: self)
            if uuids != before { changed("UUIDs") }
        }
        // bluetoothd turns notifications on again before it reports that the services are resolved.
        services?.linked()
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
        services?.remove()
        services = nil
        super.remove()
    }

    override func clientLeft(_ client: String) { services?.clientLeft(client) }

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
