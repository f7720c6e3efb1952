package import EventLoop

/// Carries out what ``Reconnection`` decides, for the one connection of a client to its daemon.
@EventLoop
package final class Reconnector {
    private let socket: RuntimeSocket
    private let attempt: @EventLoop () throws(ServiceError) -> Void
    private let unreachable: @EventLoop (ServiceError) -> Void
    private let unwatchable: @EventLoop (any Error) -> Void
    private var reconnection: Reconnection
    private var watch: FileWatch?
    private lazy var delay = TimerSource { [weak self] in self?.handle(.delayElapsed) }

    /// - Parameters:
    ///   - socket: The daemon's.
    ///   - backOff: The delays between attempts.
    ///   - connect: Connects to the daemon's socket, and later reports `answered` or `lost`. Called
    ///     also before ``handle(_:)`` returns.
    ///   - unreachable: `connect` has thrown this. May report `stopped`.
    ///   - unwatchable: The socket's path cannot be watched, which costs an attempt every few seconds.
    package init(
        to socket: RuntimeSocket,
        backOff: BackOff = BackOff(),
        connect: @escaping @EventLoop () throws(ServiceError) -> Void,
        unreachable: @escaping @EventLoop (ServiceError) -> Void,
        unwatchable: @escaping @EventLoop (any Error) -> Void = { _ in }
    ) {
        self.socket = socket
        attempt = connect
        self.unreachable = unreachable
        self.unwatchable = unwatchable
        reconnection = Reconnection(backOff: backOff)
    }

    /// Handles a report of the client. Where systemd listens for the daemon, the first attempt to connect
    /// starts it. The connection itself is the client's to close.
    package func handle(_ event: Reconnection.Event) {
        for effect in reconnection.handle(event) {
            switch effect {
            case .connect:
                delay.disarm()
                connect()
            case .watch: startWatch()
            case .retry(let time): delay.arm(after: time)
            case .rest:
                delay.disarm()
                watch = nil
            }
        }
    }

    private func connect() {
        do throws(ServiceError) {
            try attempt()
        } catch {
            unreachable(error)
            handle(.attemptFailed)
        }
    }

    private func startWatch() {
        do {
            let path = try socket.path
            watch = try FileWatch(path) { [weak self] in
                // Not when it is removed: the end of the connection reports that.
                if FileWatch.target(of: path) == .exists { self?.handle(.socketAppeared) }
            }
        } catch {
            unwatchable(error)
            handle(.watchFailed)
        }
    }
}
