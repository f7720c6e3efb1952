import CDBus
import EventLoop
import Glibc

/// A connected libdbus connection that is passed from one thread to another.
///
/// Unchecked: only one thread uses it at a time, and libdbus does its own locking.
struct ConnectedBus: @unchecked Sendable {
    let pointer: OpaquePointer

    func close() {
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
    }
}

extension BusConnection {
    /// Pending attempts by address. While the queue of a listener stays full, each attempt and its thread
    /// remain.
    private static var attempts: [String: Int] = [:]
    private static let maximumAttempts = 4

    /// libdbus aborts on an invalid argument unless this environment variable, which it reads once, disables
    /// that. Arguments are checked before they reach it; should a check be missing, the function fails
    /// instead.
    private static let fatalWarningsAreDisabled: Void = {
        // Fails only for an invalid name (setenv(3)).
        _ = setenv("DBUS_FATAL_WARNINGS", "0", 1)
    }()

    /// Connects a socket. Calls `completion` exactly once, after this has returned.
    ///
    /// On its own thread: connect(2) blocks while the queue of the listener is full, which happens when the
    /// bus hangs or is flooded with connections. The timeout of the caller starts here.
    static func connect(
        to address: BusAddress,
        timeout: Duration,
        completion: @escaping @EventLoop (Result<BusConnection, BusError>) -> Void
    ) {
        let attempt = Attempt { result in
            let named = result.mapError { $0.trying("connect to \(address)") }
            completion(named.map { BusConnection(adopting: $0, address) })
        }
        do throws(BusError) {
            let text = try address.resolve()
            guard BusNames.isText(text) else {
                throw .invalidArguments("the address contains a NUL character")
            }
            try begin(attempt, text)
            attempt.limit(timeout)
        } catch {
            EventLoop.start { attempt.finish(.failure(error)) }
        }
    }

    private static func begin(_ attempt: Attempt, _ text: String) throws(BusError) {
        guard attempts[text, default: 0] < maximumAttempts else {
            throw .standard("LimitsExceeded", "\(maximumAttempts) attempts to connect are already pending")
        }
        _ = fatalWarningsAreDisabled
        do throws(SystemError) {
            try EventLoop.spawnBlocking {
                open(text)
            } completion: { result in
                attempts[text] = attempts[text].flatMap { $0 > 1 ? $0 - 1 : nil }
                attempt.finish(result)
            }
        } catch {
            throw .standard("LimitsExceeded", "\(error)")
        }
        attempts[text, default: 0] += 1
    }

    /// Blocks.
    private nonisolated static func open(_ text: String) -> Result<ConnectedBus, BusError> {
        Result { () throws(BusError) in
            ConnectedBus(pointer: try withBusError { dbus_connection_open_private(text, $0) })
        }
    }
}

/// A pending attempt to connect, with a timeout.
@EventLoop
private final class Attempt {
    private var completion: (@EventLoop (Result<ConnectedBus, BusError>) -> Void)?
    private var timer: TimerSource?

    init(_ completion: @escaping @EventLoop (Result<ConnectedBus, BusError>) -> Void) {
        self.completion = completion
    }

    func limit(_ timeout: Duration) {
        let error = BusError.standard("NoReply", "the connection was not accepted within \(timeout)")
        // The timer keeps this object alive until it fires or there is a result.
        let timer = TimerSource { self.finish(.failure(error)) }
        timer.arm(after: timeout)
        self.timer = timer
    }

    func finish(_ result: Result<ConnectedBus, BusError>) {
        timer = nil
        guard let completion else {
            // The attempt has timed out already.
            if case .success(let connected) = result { connected.close() }
            return
        }
        self.completion = nil
        completion(result)
    }
}
