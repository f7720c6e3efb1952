package import EventLoop
package import JSON

/// Why a call has no answer, or a bad one.
package enum VarlinkCallError: Error, Equatable, CustomStringConvertible {
    /// The service answered with an error.
    case answered(VarlinkError)
    /// The service did not answer in time. The connection is closed.
    case timedOut(method: String, limit: Duration)
    /// The connection is closed; the text says why.
    case disconnected(String)

    package var description: String {
        switch self {
        case .answered(let error): "the service answered \(error)"
        case .timedOut(let method, let limit): "the service did not answer \(method) within \(limit)"
        case .disconnected(let reason): "no connection to the service: \(reason)"
        }
    }
}

/// A connection to a Varlink service.
///
/// Calls may be made before earlier ones are answered; answers come in the order of calls. A subscription keeps
/// the answers of later calls waiting, so use a connection of its own for it. It ends when the client is closed.
@EventLoop
package final class VarlinkClient {
    package typealias Answer = Result<JSONObject, VarlinkCallError>

    private struct Pending {
        let method: String
        let isMore: Bool
        let limit: Duration
        /// None after the first answer of a subscription.
        var deadline: MonotonicInstant?
        let handler: @EventLoop (_ answer: Answer, _ continues: Bool) -> Void
    }

    private let stream: MessageStream
    private let limits: VarlinkLimits
    private var pending: [Pending] = []
    /// Left armed when a call is answered: it looks again when it fires. So a call costs no system call for it.
    private var timer: TimerSource?
    private var timerTime: MonotonicInstant?
    private var closeReason: VarlinkCallError?

    /// Called once when the connection has ended without ``close()``.
    package var onClose: (@EventLoop (VarlinkCallError) -> Void)?

    /// Connects to a service.
    ///
    /// - Throws: `ENOENT` or `ECONNREFUSED` if nobody serves at `path`.
    package convenience init(
        connectingTo path: String,
        limits: VarlinkLimits = VarlinkLimits()
    ) throws(SystemError) {
        try self.init(adopting: try UnixSocket.connect(to: path, .stream), limits: limits)
    }

    /// Uses a socket that is connected already.
    package init(
        adopting descriptor: consuming OwnedDescriptor,
        limits: VarlinkLimits = VarlinkLimits()
    ) throws(SystemError) {
        self.limits = limits
        stream = try MessageStream(adopting: descriptor, limits: limits)
        stream.onMessage = { [unowned self] in received($0) }
        stream.onBroken = { [unowned self] in end(.disconnected("it sent \($0)")) }
        stream.onEnd = { [unowned self] in ended($0) }
    }

    isolated deinit { stream.cancel() }

    /// Calls `method`, and `then` with its one answer.
    ///
    /// - Parameters:
    ///   - method: With its interface.
    ///   - parameters: As the interface has them.
    ///   - timeLimit: After this time without an answer the connection is closed.
    ///   - handler: Called once; before this returns only if there is no connection to call on.
    package func call(
        _ method: String,
        _ parameters: JSONObject = [:],
        timeLimit: Duration = .seconds(5),
        then handler: @escaping @EventLoop (Answer) -> Void
    ) {
        start(CallMessage(method: method, parameters: parameters), timeLimit) { answer, _ in handler(answer) }
    }

    /// Makes a call that is encoded already, as ``call(_:_:timeLimit:then:)`` would.
    package func call(
        _ prepared: PreparedCall,
        timeLimit: Duration = .seconds(5),
        then handler: @escaping @EventLoop (Answer) -> Void
    ) {
        if let closeReason { return handler(.failure(closeReason)) }
        expectAnswer(to: prepared.method, isMore: false, timeLimit) { answer, _ in handler(answer) }
        sent(stream.send(encoded: prepared.bytes))
    }

    /// Calls `method` and waits for its one answer.
    package func call(
        _ method: String,
        _ parameters: JSONObject = [:],
        timeLimit: Duration = .seconds(5)
    ) async throws(VarlinkCallError) -> JSONObject {
        let answer = await withCheckedContinuation { continuation in
            call(method, parameters, timeLimit: timeLimit) { continuation.resume(returning: $0) }
        }
        return try answer.get()
    }

    /// Calls `method` with `more`.
    ///
    /// - Parameters:
    ///   - method: With its interface.
    ///   - parameters: As the interface has them.
    ///   - timeLimit: For the first answer.
    ///   - handler: Called for each answer. The last one has `continues` false.
    package func subscribe(
        _ method: String,
        _ parameters: JSONObject = [:],
        timeLimit: Duration = .seconds(5),
        handler: @escaping @EventLoop (_ answer: Answer, _ continues: Bool) -> Void
    ) {
        start(CallMessage(method: method, parameters: parameters, isMore: true), timeLimit, handler)
    }

    /// Calls `method` with `more`. The stream ends after the last answer, or throws a ``VarlinkCallError``.
    ///
    /// The stream holds what its reader has not taken. A reader that falls behind by more than
    /// ``VarlinkLimits/backlogMessages`` gets those, then an error, and the client is closed.
    package func answers(
        to method: String,
        _ parameters: JSONObject = [:],
        timeLimit: Duration = .seconds(5)
    ) -> AsyncThrowingStream<JSONObject, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: JSONObject.self,
            bufferingPolicy: .bufferingOldest(limits.backlogMessages)
        )
        subscribe(method, parameters, timeLimit: timeLimit) { [weak self] answer, continues in
            switch answer {
            case .success(let parameters):
                if case .dropped = continuation.yield(parameters) {
                    let reason = VarlinkCallError.disconnected("the answers to \(method) were not taken")
                    continuation.finish(throwing: reason)
                    self?.end(reason)
                }
            case .failure(let error): continuation.finish(throwing: error)
            }
            if !continues { continuation.finish() }
        }
        return stream
    }

    /// Calls `method` without wanting an answer. On a closed connection it does nothing.
    package func callOneway(_ method: String, _ parameters: JSONObject = [:]) {
        send(CallMessage(method: method, parameters: parameters, isOneway: true))
    }

    /// Ends the connection after what was called is sent. Calls that wait for an answer fail.
    package func close() {
        onClose = nil
        stream.close()
        fail(.disconnected("closed here"))
    }
}

// MARK: Calls and their answers

extension VarlinkClient {
    private func start(
        _ message: CallMessage,
        _ limit: Duration,
        _ handler: @escaping @EventLoop (Answer, Bool) -> Void
    ) {
        if let closeReason { return handler(.failure(closeReason), false) }
        expectAnswer(to: message.method, isMore: message.isMore, limit, handler)
        send(message)
    }

    private func expectAnswer(
        to method: String,
        isMore: Bool,
        _ limit: Duration,
        _ handler: @escaping @EventLoop (Answer, Bool) -> Void
    ) {
        let deadline = MonotonicInstant.now + limit
        pending.append(
            Pending(method: method, isMore: isMore, limit: limit, deadline: deadline, handler: handler)
        )
        setTimer(deadline)
    }

    private func send(_ message: CallMessage) {
        guard closeReason == nil else { return }
        sent(stream.send(message.json))
    }

    private func sent(_ hadRoom: Bool) {
        if !hadRoom { end(.disconnected("it does not read what is sent to it")) }
    }

    private func received(_ message: JSON) {
        let reply: ReplyMessage
        do throws(VarlinkProtocolError) {
            reply = try ReplyMessage(message)
        } catch {
            return end(.disconnected("it sent \(error)"))
        }
        guard let call = pending.first else { return end(.disconnected("it sent an answer to nothing")) }
        if reply.continues {
            guard call.isMore else {
                return end(.disconnected("it sent a first of several answers to a call for one"))
            }
            pending[0].deadline = nil
        } else {
            pending.removeFirst()
        }
        call.handler(reply.result.mapError { .answered($0) }, reply.continues)
    }

    private func setTimer(_ deadline: MonotonicInstant) {
        if let timerTime, timerTime <= deadline { return }
        let timer = timer ?? TimerSource { [weak self] in self?.checkDeadlines() }
        self.timer = timer
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
    private func ended(_ end: MessageStream.End) {
        switch end {
        case .closedByPeer: self.end(.disconnected("the service has closed"))
        case .closedHere: self.end(.disconnected("closed here"))
        case .failed(let error): self.end(.disconnected("\(error)"))
        }
    }

    private func end(_ reason: VarlinkCallError) {
        stream.cancel()
        fail(reason)
        let onClose = onClose
        self.onClose = nil
        onClose?(reason)
    }

    /// Fails what waits for an answer, and everything from now on.
    private func fail(_ reason: VarlinkCallError) {
        guard closeReason == nil else { return }
        closeReason = reason
        timer = nil
        let waiting = pending
        pending = []
        for call in waiting { call.handler(.failure(reason), false) }
    }
}
