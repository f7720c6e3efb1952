import DBus
import EventLoop

/// Asks bluetoothd whether it still works, as long as a transmission waits for a release that only bluetoothd can tell.
///
/// A process that stands still, bluetoothd or the bus, ends no connection and says nothing.
@EventLoop
final class BlueZKeepAlive {
    private static let interval = Duration.seconds(1)
    /// With the interval about as long as the supervision timeout of a link is at most, after which a button that is out
    /// of reach is given up; and longer than a busy machine holds up an answer.
    private static let limit = Duration.seconds(3)

    private let connection: @EventLoop () -> BusConnection?
    private var waiting: Set<ObjectPath> = []
    private lazy var timer = TimerSource { [weak self] in self?.ask() }

    /// - Parameter connection: The one on which the release will come.
    init(_ connection: @escaping @EventLoop () -> BusConnection?) {
        self.connection = connection
    }

    func start(for button: ObjectPath) {
        if waiting.isEmpty { timer.arm(after: Self.interval) }
        waiting.insert(button)
    }

    func stop(for button: ObjectPath) {
        waiting.remove(button)
        if waiting.isEmpty { timer.disarm() }
    }

    private func ask() {
        guard let connection = connection() else { return }
        // libdbus answers it in every program, out of its main loop.
        let call = MethodCall(
            to: BlueZ.name,
            path: "/",
            interface: "org.freedesktop.DBus.Peer",
            member: "Ping",
            startsService: false
        )
        connection.call(call, timeout: Self.limit) { [weak self, weak connection] result in
            guard let self, !waiting.isEmpty else { return }
            if case .failure(let error) = result, error.kind == .noReply {
                // What stands still may go on with whatever was sent to it. A new connection begins with nothing of that.
                connection?.fail(with: error)
            } else {
                // Any answer is one. The loss of a name or a connection is told by itself.
                timer.arm(after: Self.interval)
            }
        }
    }
}
