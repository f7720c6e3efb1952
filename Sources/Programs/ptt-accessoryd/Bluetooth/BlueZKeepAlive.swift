import DBus
import EventLoop

/// Pings bluetoothd while a transmission or an action depends on it to report the release.
///
/// If bluetoothd or the bus hangs, no connection ends and no error is reported.
@EventLoop
final class BlueZKeepAlive {
    private static let interval = Duration.seconds(1)
    /// Together with the interval, about as long as the longest supervision timeout, after which a button out
    /// of reach counts as disconnected; and longer than a busy machine delays an answer.
    private static let timeout = Duration.seconds(3)

    private let connection: @EventLoop () -> BusConnection?
    /// How many accessories of a device wait: its button and its keys may be two.
    private var waiting: [ObjectPath: Int] = [:]
    private var presses = 0
    private lazy var timer = TimerSource { [weak self] in self?.ping() }

    /// - Parameter connection: The connection on which the release will be reported.
    init(_ connection: @escaping @EventLoop () -> BusConnection?) {
        self.connection = connection
    }

    /// Sets whether the release of a button is waited for. Called with each change of one accessory.
    func set(_ isNeeded: Bool, for button: ObjectPath) {
        guard isNeeded else {
            let others = waiting[button, default: 1] - 1
            waiting[button] = others > 0 ? others : nil
            if waiting.isEmpty { timer.disarm() }
            return
        }
        waiting[button, default: 0] += 1
        // bluetoothd has just reported a press: it does not hang, whatever it has yet to answer.
        presses += 1
        timer.arm(after: Self.interval)
    }

    private func ping() {
        guard let connection = connection() else { return }
        let presses = presses
        // libdbus answers this call in every program, from its main loop.
        let call = BlueZ.call("Ping", of: "org.freedesktop.DBus.Peer", on: "/")
        connection.call(call, timeout: Self.timeout) { [weak self, weak connection] result in
            guard let self, presses == self.presses, !waiting.isEmpty else { return }
            if case .failure(let error) = result, error.kind == .noReply {
                // A process that resumes would handle all that was sent to it in the meantime. A new
                // connection starts without that backlog.
                connection?.fail(with: error)
            } else {
                // Any other answer is good enough. The loss of the name or the connection is reported
                // separately.
                timer.arm(after: Self.interval)
            }
        }
    }
}
