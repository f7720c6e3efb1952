import DBus
import EventLoop

/// One serial microphone as bluetoothd knows it. Errors and their order were observed
/// with bluetoothd 5.66.
@EventLoop
final class SimulatedMicrophone: SimulatedPeripheral {
    /// PAGE_TIMEOUT is 5.12 s by default.
    private static let pageTimeout = Duration.milliseconds(200)
    /// The profile's owner may take this long to accept a port.
    private static let callTimeout = Duration.seconds(20)

    let microphone: VirtualSerialMicrophone
    /// True once its services are known. Its answer to an inquiry does not name them: bluetoothd asks it on
    /// the first connection (SDP).
    private var areServicesKnown: Bool

    private var attempt: TimerSource?
    /// bluetoothd's copy of the host's end of the port, and whom the other copy was passed to.
    private var port: (copy: BusDescriptor, profile: ClientObject)?

    init(
        _ microphone: VirtualSerialMicrophone,
        on adapter: SimulatedAdapter,
        isFound: Bool
    ) throws(BusError) {
        self.microphone = microphone
        areServicesKnown = microphone.stored.isKept
        try super.init(microphone.number, microphone.stored, on: adapter, isFound: isFound)
        try export(methods, state)
    }

    private var profile: ClientObject? {
        adapter.daemon.profiles[microphone.serviceClass]
    }

    // MARK: - The link

    /// The microphone connects by itself, as one does that was switched on. No profile follows from that.
    func page() {
        guard adapter.isPowered, microphone.radio == .awake, !isConnected else { return }
        isConnected = true
        changed("Connected")
    }

    private func readServices() {
        guard !areServicesKnown else { return }
        areServicesKnown = true
        changed("UUIDs")
    }

    /// The port ends with it.
    override func loseLink() {
        closePort()
        guard isConnected else { return }
        isConnected = false
        changed("Connected")
    }

    func closePort() {
        microphone.closePort()
        port = nil
    }

    override func adapterOff() {
        fail(.bluezFailed("br-connection-canceled"))
        loseLink()
    }

    override func clientLeft(_ client: String) {
        if port?.profile.owner == client { closePort() }
    }

    // MARK: - The profile

    private func connectProfile(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(.adapterNotPowered) }
        guard connecting == nil else { return call.fail(.connectionBusy) }
        guard call.arguments[0].asString == microphone.serviceClass, profile != nil else {
            return call.fail(.profileUnavailable)
        }
        // Also if the client has closed its end.
        guard port == nil else { return call.reply() }
        connecting = call
        let isThere = microphone.radio == .awake
        wait(isThere ? SimulatedAdapter.advertisingInterval : Self.pageTimeout) { [unowned self] in
            if microphone.radio == .awake { linked(call) } else { fail(.pageTimeout) }
        }
    }

    private func wait(_ time: Duration, then: @escaping @EventLoop () -> Void) {
        let timer = TimerSource(handler: then)
        timer.arm(after: time)
        attempt = timer
    }

    private func linked(_ call: MethodInvocation) {
        page()
        // An earlier bluetoothd's socket to the port still lives.
        guard !microphone.isPortOpen else { return fail(.createSocket) }
        guard microphone.refusals == 0 else {
            microphone.refusals -= 1
            return fail(.connectionRefused)
        }
        guard let profile else { return fail(.profileUnavailable) }
        do throws(SystemError) {
            let copy = BusDescriptor(try microphone.openPort())
            port = (copy, profile)
            pass(copy, to: profile, call)
        } catch {
            fail(.createSocket)
        }
    }

    /// The answer of `ConnectProfile` waits for that of `NewConnection`.
    private func pass(_ port: BusDescriptor, to profile: ClientObject, _ call: MethodInvocation) {
        let arguments: [BusValue] = [.objectPath(path), .descriptor(port), .properties([:])]
        let message = profile.call("NewConnection", of: BlueZNames.profile, arguments)
        adapter.daemon.connection.call(message, timeout: Self.callTimeout) { [weak self] result in
            guard let self, connecting === call else { return }
            switch result {
            case .success:
                connecting = nil
                call.reply()
            case .failure:
                closePort()
                fail(.connectionRefused)
            }
        }
    }

    private func fail(_ error: BusError) {
        connecting?.fail(error)
        connecting = nil
        attempt = nil
    }

    private func disconnectProfile(_ call: MethodInvocation) {
        guard let (_, profile) = port else { return call.fail(.notConnected) }
        let message = profile.call("RequestDisconnection", of: BlueZNames.profile, [.objectPath(path)])
        adapter.daemon.connection.call(message, timeout: Self.callTimeout) { [weak self] _ in
            self?.closePort()
            call.reply()
        }
    }

    private func connect(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(.adapterNotPowered) }
        wait(SimulatedAdapter.advertisingInterval) { [unowned self] in
            guard microphone.radio == .awake else { return call.fail(.pageTimeout) }
            page()
            readServices()
            // The profile is not one that BlueZ connects by itself.
            call.fail(.profileUnavailable)
        }
    }

    private func disconnect(_ call: MethodInvocation) {
        fail(.bluezFailed("br-connection-canceled"))
        loseLink()
        call.reply()
    }

    private func pair(_ call: MethodInvocation) {
        guard !stored.isPaired else { return call.fail(.alreadyExists) }
        guard microphone.radio == .awake else { return call.fail(.connectionAttemptFailed) }
        page()
        stored.isPaired = true
        changed("Paired", "Bonded")
        readServices()
        call.reply()
    }

    // MARK: - D-Bus

    private var methods: [ExportedMethod] {
        [
            ExportedMethod("Connect") { [unowned self] in connect($0) },
            ExportedMethod("Disconnect") { [unowned self] in disconnect($0) },
            ExportedMethod("ConnectProfile", inputs: ["UUID": "s"]) { [unowned self] in connectProfile($0) },
            ExportedMethod("DisconnectProfile", inputs: ["UUID": "s"]) { [unowned self] in
                disconnectProfile($0)
            },
            ExportedMethod("Pair") { [unowned self] in pair($0) },
            ExportedMethod("CancelPairing") { $0.fail(.doesNotExist) },
        ]
    }

    private var state: [ExportedProperty] {
        [
            ExportedProperty("AddressType", "s") { .string("public") },
            // Audio device, wearable headset.
            ExportedProperty("Class", "u") { .uint32(0x240404) },
            ExportedProperty("UUIDs", "as") { [unowned self] in
                .strings(areServicesKnown ? [microphone.serviceClass] : [])
            },
            ExportedProperty("Connected", "b") { [unowned self] in .boolean(isConnected) },
            ExportedProperty("ServicesResolved", "b") { [unowned self] in .boolean(isConnected) },
        ]
    }
}

extension BusError {
    // Observed with bluetoothd 5.66.
    fileprivate static let adapterNotPowered = bluez("NotReady", "br-connection-adapter-not-powered")
    fileprivate static let connectionBusy = bluez("InProgress", "br-connection-busy")
    fileprivate static let profileUnavailable = bluez("NotAvailable", "br-connection-profile-unavailable")
    fileprivate static let pageTimeout = bluez("Failed", "br-connection-page-timeout")
    fileprivate static let connectionRefused = bluez("Failed", "br-connection-refused")
    fileprivate static let createSocket = bluez("Failed", "br-connection-create-socket")
}
