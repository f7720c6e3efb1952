import AccessoryCore
import DBus
import EventLoop
import Glibc
import Logging
import PTTMessages
import RFCOMM
import ServiceClient

/// The serial port of one device: passes what happens to its ``SerialConnection``, and performs the effects.
@EventLoop
final class SerialConnector {
    /// A page takes 5 s, and bluetoothd may ask for the services and bond first.
    private static let connectTimeout = Duration.seconds(30)

    let path: ObjectPath
    let serviceClass: GattUUID
    private let mirror: BlueZMirror
    private let log: Logger
    private let handler: @EventLoop (Accessory.StreamEvent) -> Void
    private var connection = SerialConnection()
    private var port: SerialReader?
    /// A connected socket until the effect that adopts it.
    private var offered: OwnedDescriptor?
    private var direct: SerialPortConnection?
    /// The registration of its service class, while the adapter is on.
    private var available: SerialConnection.Registration?
    private var isLinkUp = false
    /// Incremented with each call of `ConnectProfile` and `DisconnectProfile`, so that a late answer is
    /// recognised.
    private var calls = 0
    /// The event that is being handled, and those that it has caused.
    private var events: [SerialConnection.Event] = []
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }
    /// Why the last attempt failed, until one succeeds.
    private(set) var failure: String?

    /// `handler` is called with what happens to the port, as the machine of an accessory is to know it. After
    /// an attempt that has failed comes the next, or nothing until a sign of the accessory.
    init(
        _ path: ObjectPath,
        serviceClass: GattUUID,
        mirror: BlueZMirror,
        log: Logger,
        handler: @escaping @EventLoop (Accessory.StreamEvent) -> Void
    ) {
        self.path = path
        self.serviceClass = serviceClass
        self.mirror = mirror
        self.log = log
        self.handler = handler
    }

    var isOpen: Bool { connection.isOpen }

    /// Compares bluetoothd's view of the device with the last observation, and handles the changes. Called
    /// after each signal about it, and when its service class was registered.
    func update(_ registration: SerialConnection.Registration?) {
        let device = mirror.objects.devices[path]
        let isOn = mirror.connection != nil && device.map { mirror.objects.isAdapterPowered(of: $0) } ?? false
        let (wasUp, before) = (isLinkUp, available)
        available = isOn ? registration : nil
        isLinkUp = isOn && device?.isConnected ?? false
        if before != nil, available == nil {
            isLinkUp = false
            handle(.bluetoothLost)
            return handler(.bluetoothLost)
        }
        if wasUp != isLinkUp { handle(isLinkUp ? .linkUp : .linkDown) }
        if let available, available != before { handle(.available(available)) }
    }

    /// The device was seen nearby, or a person wants to talk or asks for it: tries to connect it now, even if
    /// it counts as switched off.
    func wanted() {
        handle(.wanted)
    }

    /// bluetoothd has connected it, or asks to disconnect it.
    func received(_ event: SerialProfileEvent) {
        switch event {
        case .portReceived(let descriptor):
            offered = descriptor.take()
            handle(.portReceived)
        case .disconnectionRequested: handle(.disconnectionRequested)
        }
    }

    /// Closes the port. It is not used afterwards.
    func end() {
        handle(.dismissed)
    }

    /// An effect that fails immediately is the next event, after the other effects of this one.
    private func handle(_ event: SerialConnection.Event) {
        events.append(event)
        guard events.count == 1 else { return }
        while let next = events.first {
            for effect in connection.handle(next, at: .now) { perform(effect) }
            events.removeFirst()
        }
    }

    private func perform(_ effect: SerialConnection.Effect) {
        switch effect {
        case .connectProfile: connectProfile()
        case .disconnectProfile: disconnectProfile()
        case .connectDirectly: connectDirectly()
        case .cancelDirect: direct = nil
        case .adoptPort: adoptPort()
        case .closePort: closePort()
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        }
    }

    // MARK: - The port

    private func adoptPort() {
        direct = nil
        guard let descriptor = offered.take() else { return portClosed("it was closed") }
        do throws(SystemError) {
            port = try SerialReader(descriptor) { [weak self] bytes in
                self?.handler(.bytesReceived(bytes))
            } closed: { [weak self] reason in
                self?.portClosed(reason)
            }
            failure = nil
            handler(.opened)
        } catch {
            portClosed("\(error)")
        }
    }

    private func portClosed(_ reason: String) {
        // What was pressed is released first.
        handle(.portClosed)
        failed(reason)
    }

    private func closePort() {
        port = nil
        handler(.closed(.linkLost))
    }

    private func failed(_ reason: String) {
        failure = reason
        log.debug("\(path): \(reason)")
        handler(.unavailable(reason: reason))
    }

    // MARK: - Attempts

    private func connectProfile() {
        callProfile("ConnectProfile", timeout: Self.connectTimeout) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: handle(.profileConnected)
            case .failure(let error):
                failed(error.serialExplanation)
                handle(.profileFailed(SerialConnection.Failure(error)))
            }
        }
    }

    private func disconnectProfile() {
        callProfile("DisconnectProfile") { [weak self] _ in
            // After any answer the next attempt shows what is true.
            self?.handle(.profileDisconnected)
        }
    }

    private func callProfile(
        _ member: String,
        timeout: Duration = BusConnection.defaultTimeout,
        answered: @escaping @EventLoop (Result<[BusValue], BusError>) -> Void
    ) {
        calls += 1
        let number = calls
        let call = BlueZ.call(member, of: BlueZ.device, on: path, [.string(serviceClass.text)])
        // Without a connection Bluetooth is lost, which is reported separately.
        mirror.connection?.call(call, timeout: timeout) { [weak self] result in
            guard let self, number == calls else { return }
            answered(result)
        }
    }

    private func connectDirectly() {
        guard let device = mirror.objects.devices[path], let address = BluetoothAddress(device.address),
            let adapter = device.adapter.flatMap({ mirror.objects.adapters[$0] }),
            let adapterAddress = BluetoothAddress(adapter.address),
            let service = ServiceClass(serviceClass.text)
        else { return directFailed("bluetoothd does not know its address", .refused) }
        do throws(SystemError) {
            direct = try SerialPortConnection(
                to: service,
                of: address,
                from: adapterAddress,
                timeLimit: Self.connectTimeout
            ) { [weak self] descriptor in
                self?.offered = consume descriptor
                self?.directOpened()
            } failed: { [weak self] error in
                self?.directFailed("\(error)", SerialConnection.Failure(error))
            }
        } catch {
            directFailed("\(error)", .refused)
        }
    }

    private func directOpened() {
        log.notice("\(path): its serial port was opened without bluetoothd")
        handle(.directOpened)
    }

    private func directFailed(_ reason: String, _ failure: SerialConnection.Failure) {
        direct = nil
        failed(reason)
        handle(.directFailed(failure))
    }
}

extension BusError {
    /// Why a serial port was not opened, and what to do.
    fileprivate var serialExplanation: String {
        switch message {
        case _ where message.hasPrefix("br-connection-page-timeout"):
            "it does not answer: switch it on, keep it near, and disconnect it from other phones"
        case _ where message.hasPrefix("br-connection-profile-unavailable"):
            "it has no serial port"
        default: "its serial port was not opened: \(message.isEmpty ? name : message)"
        }
    }
}

extension SerialConnection.Failure {
    /// `ConnectProfile` has failed. The texts are those of src/error.h of BlueZ, before 5.62 of strerror(3).
    fileprivate init(_ error: BusError) {
        let isUnanswered =
            error.kind == .noReply || error.name == "org.bluez.Error.InProgress"
            || error.name == "org.bluez.Error.NotReady"
            || ["br-connection-page-timeout", "br-connection-busy", "br-connection-canceled", "Host is down"]
                .contains { error.message.hasPrefix($0) }
        self = isUnanswered ? .unanswered : .refused
    }

    fileprivate init(_ error: SystemError) {
        self = [EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT].contains(error.code) ? .unanswered : .refused
    }
}
