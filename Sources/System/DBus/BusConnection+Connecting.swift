import CDBus
import EventLoop

/// What libdbus has connected, on its way from one thread to another.
///
/// Unchecked: only one has it at a time, and libdbus has locks of its own.
struct ConnectedBus: @unchecked Sendable {
    let pointer: OpaquePointer

    func close() {
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
    }
}

extension BusConnection {
    /// Attempts at one address that have not ended. A queue that stays full keeps each of them, and its thread, for ever.
    private static var attempts: [String: Int] = [:]
    private static let maximumAttempts = 4

    /// Connects a socket, and reports it or an error exactly once, not before this returns.
    ///
    /// On a thread of its own: connect(2) waits while the queue of the listener is full, and a bus that stands still, or
    /// that somebody keeps busy with connections, lets it fill. The time limit of a caller begins with this.
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
            attempt.fail(error)
        }
    }

    private static func begin(_ attempt: Attempt, _ text: String) throws(BusError) {
        guard attempts[text, default: 0] < maximumAttempts else {
            throw .standard("LimitsExceeded", "\(maximumAttempts) attempts wait to be let in already")
        }
        LibraryManners.adopt()
        do throws(SystemError) {
            try EventLoop.spawnBlocking {
                open(text)
            } completion: {
                ended(attempt, at: text, with: $0)
            }
        } catch {
            throw .standard("LimitsExceeded", "\(error)")
        }
        attempts[text, default: 0] += 1
    }

    private static func ended(
        _ attempt: Attempt,
        at text: String,
        with result: Result<ConnectedBus, BusError>
    ) {
        attempts[text] = attempts[text].flatMap { $0 > 1 ? $0 - 1 : nil }
        attempt.finish(result)
    }

    /// Blocks.
    private nonisolated static func open(_ text: String) -> Result<ConnectedBus, BusError> {
        Result { () throws(BusError) in
            ConnectedBus(pointer: try withBusError { dbus_connection_open_private(text, $0) })
        }
    }
}

/// Somebody waits for a connection, but not for ever.
@EventLoop
private final class Attempt {
    private var completion: (@EventLoop (Result<ConnectedBus, BusError>) -> Void)?
    private var timer: TimerSource?

    init(_ completion: @escaping @EventLoop (Result<ConnectedBus, BusError>) -> Void) {
        self.completion = completion
    }

    func limit(_ timeout: Duration) {
        let error = BusError.standard("NoReply", "not let in within \(timeout)")
        arm(timeout, error)
    }

    /// In a later turn.
    func fail(_ error: BusError) {
        arm(.zero, error)
    }

    func finish(_ result: Result<ConnectedBus, BusError>) {
        timer = nil
        guard let completion else {
            // Nobody waits any more.
            if case .success(let connected) = result { connected.close() }
            return
        }
        self.completion = nil
        completion(result)
    }

    private func arm(_ delay: Duration, _ error: BusError) {
        // Held until it fires or there is a result.
        let timer = TimerSource { self.finish(.failure(error)) }
        timer.arm(after: delay)
        self.timer = timer
    }
}
