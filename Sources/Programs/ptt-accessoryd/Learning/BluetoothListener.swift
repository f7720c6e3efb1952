import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// Listens to a Bluetooth device of which nothing is known: to all its notifying characteristics, or to its
/// serial port.
@EventLoop
final class BluetoothListener {
    private static let connectTimeout = Duration.seconds(30)
    private static let servicesTimeout = Duration.seconds(20)
    /// Listening is a subscription each; a button has about five.
    private static let mostCharacteristics = 32
    /// Generic access and attribute, device information and battery.
    private static let otherServices = Set([0x1800, 0x1801, 0x180A, 0x180F].map { GattUUID(assigned: $0) })
    private static let serialPort = GattUUID(assigned: 0x1101)

    private let address: String
    private let buttons: BluetoothButtons
    private weak var learning: Learning?
    private var path: ObjectPath?
    private var watches: [Subscription] = []
    /// The characteristics whose notifications were requested for this.
    private var subscribed: [ObjectPath] = []
    private var serial: SerialConnector?
    private var didConnect = false
    private var isClosed = false

    init(_ address: String, _ buttons: BluetoothButtons, _ learning: Learning) {
        self.address = address.uppercased()
        self.buttons = buttons
        self.learning = learning
    }

    /// Returns true if a device is known to have a serial port, or characteristics that may be those of a
    /// button.
    static func canListen(to address: String, _ mirror: BlueZMirror) -> Bool {
        guard let path = mirror.objects.device(address: address.uppercased()) else { return false }
        return mirror.objects.devices[path]?.uuids.contains(serialPort) == true
            || !characteristics(of: path, mirror).isEmpty
    }

    private static func characteristics(of path: ObjectPath, _ mirror: BlueZMirror)
        -> [(GattAttribute, ObjectPath)]
    {
        mirror.objects.characteristics(of: path).filter { !otherServices.contains($0.service) }.map {
            (GattAttribute(service: $0.service, characteristic: $0.uuid), $0.path)
        }
    }

    private var mirror: BlueZMirror { buttons.mirror }

    private var device: BlueZDevice? { path.flatMap { mirror.objects.devices[$0] } }

    /// Connects, and begins to listen.
    ///
    /// - Throws: If the device cannot be listened to.
    func start() async throws(RequestFailure) -> AccessoryInterface.LearnedDevice {
        let path = try await buttons.find(address)
        try checkOpen()
        self.path = path
        mirror.watch(path, BlueZ.device)
        if device?.uuids.contains(Self.serialPort) == true {
            try await openSerialPort(path)
            return learned("serial")
        }
        try await connect(path)
        try checkOpen()
        try await subscribe(path)
        EventLoop.start { [weak self] in await self?.watchLink() }
        return learned("gatt")
    }

    /// Ends the subscriptions, and the link if it was made for this and the button is not used.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        watches = []
        serial?.end()
        serial = nil
        for characteristic in subscribed { mirror.notifications.stop(characteristic, for: self) }
        guard let path, let connection = mirror.connection, buttons[path] == nil else { return }
        // A device that may be playing sound keeps its links.
        guard didConnect, device?.mayHaveClassicLink == false else { return }
        let call = BlueZ.call("Disconnect", of: BlueZ.device, on: path)
        connection.call(call) { [buttons] result in
            if case .failure(let error) = result { buttons.log.debug("\(error)") }
        }
    }

    /// It may be closed during any wait, and ends only what it had begun by then.
    private func checkOpen() throws(RequestFailure) {
        if isClosed { throw .failed("learning has ended") }
    }

    private func learned(_ transport: String) -> AccessoryInterface.LearnedDevice {
        AccessoryInterface.LearnedDevice(
            identity: "bluetooth:\(address)",
            name: device?.origin.name ?? address,
            transport: transport
        )
    }

    // MARK: - GATT

    private func connect(_ path: ObjectPath) async throws(RequestFailure) {
        if device?.isConnected != true {
            do throws(BusError) {
                didConnect = true
                let call = BlueZ.call("Connect", of: BlueZ.device, on: path)
                try await mirror.send(call, timeout: Self.connectTimeout)
            } catch {
                throw .failed(ConnectError.explain(error, address, isPaired: device?.isPaired ?? false))
            }
        }
        _ = await buttons.changes.wait(for: Self.servicesTimeout) { [weak self] in
            self?.device.map { $0.areServicesResolved || !$0.isConnected } ?? true
        }
        guard device?.isConnected == true, device?.areServicesResolved == true else {
            throw .failed("its services were not discovered: press the button, and try again")
        }
    }

    private func subscribe(_ path: ObjectPath) async throws(RequestFailure) {
        let wanted = Self.characteristics(of: path, mirror)
        guard let connection = mirror.connection else { throw .failed(mirror.unavailability) }
        var isNotified = false
        for (attribute, characteristic) in wanted.prefix(Self.mostCharacteristics) {
            // Before the call: the value on subscribing may precede its answer, and so may the end. Of the
            // two signals of a notification the first counts: that value may come before there are two.
            var notified = NotifiedValue()
            let watch = connection.subscribe(
                BlueZ.remote(BlueZ.characteristic, of: characteristic).propertyChanges
            ) { [weak self] signal in
                guard let value = signal.propertyChanges?.changed["Value"]?.asBytes,
                    !notified.isNotified(value, serial: signal.serial)
                else { return }
                self?.learning?.received(.notified(value, attribute), at: .now)
            }
            watches.append(watch)
            subscribed.append(characteristic)
            do throws(BusError) {
                try await startNotifications(of: characteristic)
                isNotified = true
            } catch {
                // It does not notify, or only over an encrypted link.
                buttons.log.debug("\(characteristic): \(error)")
            }
            try checkOpen()
        }
        if !isNotified {
            throw .failed(
                "none of its \(wanted.count) characteristics notifies: if it must be bonded, `bluetoothctl pair \(address)`"
            )
        }
    }

    private func startNotifications(of characteristic: ObjectPath) async throws(BusError) {
        let result = await withCheckedContinuation { continuation in
            mirror.notifications.start(characteristic, for: self) { continuation.resume(returning: $0) }
        }
        _ = try result.get()
    }

    private func watchLink() async {
        let isDown: @EventLoop () -> Bool = { [weak self] in
            guard let self, !isClosed else { return true }
            return device?.isConnected != true || mirror.connection == nil
        }
        _ = await buttons.changes.wait(for: .seconds(180), until: isDown)
        if !isClosed { learning?.fail("the connection to the button was lost") }
    }

    // MARK: - Serial

    private func openSerialPort(_ path: ObjectPath) async throws(RequestFailure) {
        var failure: String?
        let changes = buttons.changes
        let link = SerialConnector(path, serviceClass: Self.serialPort, mirror: mirror, log: buttons.log) {
            [weak self] event in
            switch event {
            case .bytesReceived(let bytes):
                self?.learning?.received(.received(bytes, serviceClass: Self.serialPort), at: .now)
            case .unavailable(let reason): failure = reason
            case .closed: failure = "it closed its serial port"
            case .bluetoothLost: failure = "Bluetooth was lost"
            case .opened, .advertised: break
            }
            changes.notify()
        }
        serial = link
        // Directly: a registration with bluetoothd is for devices in use.
        link.update(.refused)
        link.wanted()
        _ = await changes.wait(for: Self.connectTimeout) { link.isOpen || failure != nil }
        guard link.isOpen else {
            throw .failed(failure ?? "its serial port did not answer: switch it on, and try again")
        }
        EventLoop.start { [weak self] in
            _ = await changes.wait(for: .seconds(180)) { self?.isClosed ?? true || !link.isOpen }
            guard let self, !isClosed else { return }
            learning?.fail(failure ?? "it closed its serial port")
        }
    }
}
