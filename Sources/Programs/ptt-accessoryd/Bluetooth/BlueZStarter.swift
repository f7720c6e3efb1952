import DBus
import EventLoop
import Logging

/// Starts bluetoothd through D-Bus activation, with a limited number of attempts.
@EventLoop
final class BlueZStarter {
    /// About half a minute of attempts with the delays of ``BackOff``.
    private static let attempts = 10
    /// dbus-daemon allows a service 25 s to acquire its name.
    private static let callTimeout = Duration.seconds(30)

    private let log: Logger
    private var connection: BusConnection?
    private var backOff = BackOff()
    private var attempt = 0
    private lazy var retry = TimerSource { [weak self] in self?.tryOnce() }

    init(log: Logger) {
        self.log = log
    }

    func start(on connection: BusConnection) {
        self.connection = connection
        attempt = 0
        backOff.reset()
        retry.arm(after: backOff.next())
    }

    func stop() {
        connection = nil
        retry.disarm()
    }

    private func tryOnce() {
        attempt += 1
        let call = MethodCall.bus("StartServiceByName", .string(BlueZ.name), .uint32(0))
        connection?.call(call, timeout: Self.callTimeout) { [weak self] result in
            // On success the name has a new owner, which is reported separately.
            if case .failure(let error) = result { self?.failed(error) }
        }
    }

    private func failed(_ error: BusError) {
        guard connection != nil else { return }
        guard attempt < Self.attempts else {
            log.error("bluetoothd cannot be started (\(error)): see `systemctl status bluetooth`")
            return stop()
        }
        log.debug("bluetoothd could not be started, retrying: \(error)")
        retry.arm(after: backOff.next())
    }
}
