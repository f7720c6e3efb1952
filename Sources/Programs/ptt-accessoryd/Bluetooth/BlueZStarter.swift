import DBus
import EventLoop
import Logging

/// Starts bluetoothd through D-Bus activation, some times and then no more.
@EventLoop
final class BlueZStarter {
    /// About half a minute of attempts with the delays of ``BackOff``.
    private static let attempts = 10
    /// dbus-daemon gives a service 25 s to take its name.
    private static let callLimit = Duration.seconds(30)

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
        let call = MethodCall(
            to: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
            member: "StartServiceByName",
            arguments: [.string(BlueZ.name), .uint32(0)]
        )
        connection?.call(call, timeout: Self.callLimit) { [weak self] result in
            // The new owner of the name is what tells success.
            if case .failure(let error) = result { self?.failed(error) }
        }
    }

    private func failed(_ error: BusError) {
        guard connection != nil else { return }
        guard attempt < Self.attempts else {
            log.error("bluetoothd cannot be started (\(error)): see `systemctl status bluetooth`")
            return stop()
        }
        log.debug("bluetoothd could not be started, trying again: \(error)")
        retry.arm(after: backOff.next())
    }
}
