package import EventLoop
import JSON
package import PTTMessages
import Varlink

/// A connection to one of the daemons, with typed calls.
///
/// The end of the connection ends a transmission that was begun on it. Use one connection for calls and
/// another for a subscription.
@EventLoop
package final class ServiceConnection {
    /// Called once when the connection ends without ``close()``.
    package var onClose: (@EventLoop (ServiceError) -> Void)?

    /// The number of the application's next call; nil unless the connection uses an attachment.
    package internal(set) var nextCallID: CallID?

    let socket: RuntimeSocket
    private let client: VarlinkClient
    private var isClosed = false

    /// Connects to `pttd`. Where systemd listens for it, this starts it.
    package static func core() throws(ServiceError) -> ServiceConnection { try ServiceConnection(.core) }

    /// Connects to `ptt-accessoryd`. Where systemd listens for it, this starts it.
    package static func accessory() throws(ServiceError) -> ServiceConnection {
        try ServiceConnection(.accessory)
    }

    /// Connects to `ptt-actions`. Where systemd listens for it, this starts it.
    package static func actions() throws(ServiceError) -> ServiceConnection {
        try ServiceConnection(.actions)
    }

    private init(_ socket: RuntimeSocket) throws(ServiceError) {
        self.socket = socket
        do {
            client = try VarlinkClient(connectingTo: try socket.path)
        } catch {
            throw .unreachable(socket, reason: "\(error)")
        }
        client.onClose = { [weak self] error in
            guard let self, let onClose else { return }
            self.onClose = nil
            onClose(.lost(socket, reason: "\(error)"))
        }
    }

    /// Ends the connection. Its subscriptions receive nothing more; pending calls fail.
    package func close() {
        isClosed = true
        onClose = nil
        client.close()
    }

    // MARK: Calls

    /// Calls a method, and `then` with its reply or the error. The request is sent in this turn of the loop.
    package func call<Request, Reply>(
        _ method: InterfaceMethod<Request, Reply>,
        _ request: Request,
        timeLimit: Duration = .seconds(5),
        then: @escaping @EventLoop (Result<Reply, ServiceError>) -> Void
    ) {
        client.call(method.qualifiedName, encoded(request), timeLimit: timeLimit) { [self] answer in
            then(decoded(answer))
        }
    }

    private func encoded(_ request: some Encodable) -> JSONText {
        guard let callID = nextCallID else { return .encoding(request) }
        nextCallID = CallID(rawValue: callID.rawValue + 1)
        return .encoding(NumberedRequest(request: request, callID: callID))
    }

    /// Calls a method and waits for its reply.
    package func call<Request, Reply>(
        _ method: InterfaceMethod<Request, Reply>,
        _ request: Request,
        timeLimit: Duration = .seconds(5)
    ) async throws(ServiceError) -> Reply {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Reply, ServiceError>, _>) in
            call(method, request, timeLimit: timeLimit) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Calls `method` with `more`.
    ///
    /// - Parameters:
    ///   - method: Replies with one update after the other.
    ///   - request: Its parameters.
    ///   - timeLimit: For the first reply.
    ///   - handler: Called in order.
    ///   - ended: Called once: with an error, or with nil after the last reply.
    package func subscribe<Request, Update>(
        _ method: InterfaceMethod<Request, Update>,
        _ request: Request,
        timeLimit: Duration = .seconds(5),
        _ handler: @escaping @EventLoop (Update) -> Void,
        ended: @escaping @EventLoop (ServiceError?) -> Void
    ) {
        let parameters = JSONText.encoding(request)
        client.subscribe(method.qualifiedName, parameters, timeLimit: timeLimit) { [self] answer, continues in
            guard !isClosed else { return }
            let result: Result<Update, ServiceError> = decoded(answer)
            switch result {
            case .success(let update):
                handler(update)
                if !continues { ended(nil) }
            case .failure(let error):
                ended(error)
            }
        }
    }

    /// As ``subscribe(_:_:timeLimit:_:ended:)``, for updates of which none is the last: `ended` is
    /// called once, with an error.
    package func follow<Update>(
        _ method: InterfaceMethod<NoParameters, Update>,
        _ handler: @escaping @EventLoop (Update) -> Void,
        ended: @escaping @EventLoop (ServiceError) -> Void
    ) {
        let socket = socket
        subscribe(method, NoParameters(), handler) {
            ended($0 ?? .lost(socket, reason: "the subscription ended"))
        }
    }

    private func decoded<Value: Decodable>(_ answer: VarlinkClient.Answer) -> Result<Value, ServiceError> {
        switch answer {
        case .failure(let error):
            return .failure(serviceError(error))
        case .success(let parameters):
            do throws(JSONDecodingError) {
                return .success(try parameters.decode(unknownKeys: .ignored))
            } catch {
                let reason = "\(socket.program) sent an answer that cannot be read: \(error)"
                return .failure(.failed(name: "", reason: reason))
            }
        }
    }

    private func serviceError(_ error: VarlinkCallError) -> ServiceError {
        switch error {
        case .timedOut, .disconnected:
            return .lost(socket, reason: "\(error)")
        case .answered(let error):
            let isRefusal =
                error.name == ChannelInterface.refused || error.name == ApplicationInterface.refused
            // Where these cannot be read, the text of the answer is reported.
            if isRefusal, let refusal = try? error.parameters.decode(Refusal.self, unknownKeys: .ignored) {
                return .refused(refusal)
            }
            if error.name == PushInterface.rejected,
                let rejection = try? error.parameters.decode(PushRejection.self, unknownKeys: .ignored)
            {
                return .rejected(rejection)
            }
            let reason = error.parameters["reason"]?.string
            return .failed(name: error.name, reason: reason ?? "\(socket.program) answered \(error)")
        }
    }
}

/// A request and, as one more of its members, the number of its call.
private struct NumberedRequest<Request: Encodable>: Encodable {
    let request: Request
    let callID: CallID

    private enum CodingKeys: CodingKey {
        case callID
    }

    func encode(to encoder: any Encoder) throws {
        try request.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(callID, forKey: .callID)
    }
}
