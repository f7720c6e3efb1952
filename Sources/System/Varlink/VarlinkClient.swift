package import EventLoop
package import JSON

/// The reason for which a call failed.
package enum VarlinkCallError: Error, Equatable, CustomStringConvertible {
    /// The service replied with an error.
    case answered(VarlinkError)
    /// The service did not reply within the time limit. The connection is closed.
    case timedOut(method: String, limit: Duration)
    /// The connection is closed, for this reason.
    case disconnected(String)

    package var description: String {
        switch self {
        case .answered(let error): "the service replied with \(error)"
        case .timedOut(let method, let limit): "the service did not reply to \(method) within \(limit)"
        case .disconnected(let reason): "no connection to the service: \(reason)"
        }
    }
}

/// A connection to a Varlink service.
///
/// Calls may be made before earlier ones have their replies, which come in the order of the calls. The
/// replies to later calls wait behind a subscription, so use a connection of its own for each. It ends when
/// the client is closed.
@EventLoop
package final class VarlinkClient {
    package typealias Answer = Result<JSONObject, VarlinkCallError>

    private struct Pending {
        let method: String
        let isMore: Bool
        let limit: Duration
        /// Nil after the first reply to a subscription.
        var deadline: MonotonicInstant?
        let handler: @EventLoop (_ answer: Answer, _ continues: Bool) -> Void
    }

    private let stream: MessageStream
    private var pending: [Pending] = []
    /// Stays armed after the reply to a call, and checks all deadlines when it fires: so a call costs no
    /// system call for its time limit.
    private lazy var timer = TimerSource { [weak self] in self?.checkDeadlines() }
    private var timerTime: MonotonicInstant?
    private var closeReason: VarlinkCallError?

    /// Called once when the connection has ended without ``close()``.
    package var onClose: (@EventLoop (VarlinkCallError) -> Void)?

    /// Connects to a service.
    ///
    /// - Throws: `ENOENT` or `ECONNREFUSED` if no process serves at `path`.
    package convenience init(connectingTo path: String) throws(SystemError) {
        try self.init(adopting: try UnixSocket.connect(to: path, .stream))
    }

    /// Uses a connected socket.
    package init(adopting descriptor: consuming OwnedDescriptor) throws(SystemError) {
        stream = try MessageStream(adopting: descriptor, limits: VarlinkLimits())
        stream.onMessage = { [unowned self] in received($0) }
        stream.onBroken = { [unowned self] in end(.disconnected("it sent \($0)")) }
        stream.onEnd = { [unowned self] failure in
            end(.disconnected(failure?.description ?? "the service has closed"))
        }
    }

    isolated deinit { stream.cancel() }

    /// Calls `method`, named with its interface, and the handler once with its one reply; before this returns
    /// only if the connection is closed. After `timeLimit` without a reply the connection is closed.
    package func call(
        _ method: String,
        _ parameters: JSONText = [:],
        timeLimit: Duration = .seconds(5),
        then handler: @escaping @EventLoop (Answer) -> Void
    ) {
        start(method, parameters, isMore: false, timeLimit) { answer, _ in handler(answer) }
    }

    /// Calls `method` and waits for its one reply.
    package func call(
        _ method: String,
        _ parameters: JSONText = [:],
        timeLimit: Duration = .seconds(5)
    ) async throws(VarlinkCallError) -> JSONObject {
        let answer = await withCheckedContinuation { continuation in
            call(method, parameters, timeLimit: timeLimit) { continuation.resume(returning: $0) }
        }
        return try answer.get()
    }

    /// Calls `method` with `more`, and the handler with each reply, the first within `timeLimit`. The last
    /// one has `continues` false.
    package func subscribe(
        _ method: String,
        _ parameters: JSONText = [:],
        timeLimit: Duration = .seconds(5),
        handler: @escaping @EventLoop (_ answer: Answer, _ continues: Bool) -> Void
    ) {
        start(method, parameters, isMore: true, timeLimit, handler)
    }

    /// Calls `method` without a reply. On a closed connection it has no effect.
    package func callOneway(_ method: String, _ parameters: JSONText = [:]) {
        send(.call(method: method, parameters, isOneway: true))
    }

    /// Closes the connection after all calls are sent. Calls that wait for a reply fail.
    package func close() {
        onClose = nil
        stream.close()
        fail(.disconnected("closed here"))
    }
}

// MARK: Calls and replies

extension VarlinkClient {
    private func start(
        _ method: String,
        _ parameters: JSONText,
        isMore: Bool,
        _ limit: Duration,
        _ handler: @escaping @EventLoop (Answer, Bool) -> Void
    ) {
        if let closeReason { return handler(.failure(closeReason), false) }
        let deadline = MonotonicInstant.now + limit
        pending.append(
            Pending(method: method, isMore: isMore, limit: limit, deadline: deadline, handler: handler)
        )
        setTimer(deadline)
        send(.call(method: method, parameters, isMore: isMore))
    }

    private func send(_ message: OutgoingMessage) {
        guard closeReason == nil else { return }
        if !stream.send(message) { end(.disconnected("it does not read its calls")) }
    }

    private func received(_ message: JSON) {
        let reply: ReplyMessage
        do throws(VarlinkProtocolError) {
            reply = try ReplyMessage(message)
        } catch {
            return end(.disconnected("it sent \(error)"))
        }
        guard let call = pending.first else { return end(.disconnected("it sent a reply without a call")) }
        if reply.continues {
            guard call.isMore else {
                return end(.disconnected("it sent one of several replies to a call for one"))
            }
            pending[0].deadline = nil
        } else {
            pending.removeFirst()
        }
        call.handler(reply.result.mapError { .answered($0) }, reply.continues)
    }

    private func setTimer(_ deadline: MonotonicInstant) {
        if let timerTime, timerTime <= deadline { return }
        timerTime = deadline
        timer.arm(at: deadline)
    }

    private func checkDeadlines() {
        timerTime = nil
        let now = MonotonicInstant.now
        if let late = pending.first(where: { $0.deadline.map { $0 <= now } ?? false }) {
            return end(.timedOut(method: late.method, limit: late.limit))
        }
        if let next = pending.lazy.compactMap(\.deadline).min() { setTimer(next) }
    }
}

// MARK: End

extension VarlinkClient {
    private func end(_ reason: VarlinkCallError) {
        stream.cancel()
        fail(reason)
        let onClose = onClose
        self.onClose = nil
        onClose?(reason)
    }

    /// Fails all calls that wait for a reply, and all later ones.
    private func fail(_ reason: VarlinkCallError) {
        guard closeReason == nil else { return }
        closeReason = reason
        timer.disarm()
        let waiting = pending
        pending = []
        for call in waiting { call.handler(.failure(reason), false) }
    }
}
