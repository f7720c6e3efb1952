import CPulse
import EventLoop

/// A request of one or more libpulse operations with one result. A subclass sends them.
@EventLoop
class ServerRequest<Value>: ConnectionRequest {
    typealias Completion = @EventLoop (Result<Value, AudioError>) -> Void

    let action: String
    private var completion: Completion?
    private(set) weak var connection: Connection?
    private var operations: [OpaquePointer] = []
    private lazy var limit = TimerSource { [weak self] in
        self?.fail("the audio server did not answer within \(requestLimit)", .other)
    }

    /// `action` completes "could not …"; `completion` is called exactly once.
    init(_ action: String, completion: @escaping Completion) {
        self.action = action
        self.completion = completion
    }

    final func start(on connection: Connection) {
        self.connection = connection
        limit.arm(after: requestLimit)
        begin()
    }

    /// Sends the first operations.
    func begin() {}

    /// Sends an operation, unless the request has ended. `operation` receives the context pointer for its
    /// callback.
    final func send(_ operation: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?) {
        guard let context = connection?.context else { return }
        guard let sent = operation(context, unretained(self)) else { return refused() }
        operations.append(sent)
    }

    final func detach() {
        limit.disarm()
        connection = nil
        for operation in operations {
            pa_operation_cancel(operation)
            pa_operation_unref(operation)
        }
        operations = []
    }

    final func fail(_ reason: String, _ kind: AudioError.Kind) {
        finish(.failure(AudioError(action, reason: reason, kind: kind)))
    }

    /// Fails with the last error of the connection.
    final func refused() {
        finish(.failure(AudioError(action, code: connection?.context.map(pa_context_errno) ?? 0)))
    }

    final func finish(_ result: Result<Value, AudioError>) {
        let (handler, former) = (completion, connection)
        completion = nil
        detach()
        former?.forget(self)
        handler?(result)
    }
}

/// Time for the server to confirm everything.
private let requestLimit = Duration.seconds(2)
