import CPulse
import EventLoop

/// A request of one or more libpulse operations with one result. A subclass sends them.
@EventLoop
class ServerRequest<Value>: ConnectionRequest {
    typealias Completion = @EventLoop (Result<Value, AudioError>) -> Void

    private let action: String
    private var completion: Completion?
    private var context: OpaquePointer?
    private var operations: [OpaquePointer] = []
    private lazy var limit = TimerSource { [weak self] in self?.timedOut() }
    private var ended: (@EventLoop (any ConnectionRequest) -> Void)?

    /// `action` completes "could not …"; `completion` is called exactly once.
    init(_ action: String, completion: @escaping Completion) {
        self.action = action
        self.completion = completion
    }

    final func start(
        on context: OpaquePointer,
        _ own: OwnMarks,
        ended: @escaping @EventLoop (any ConnectionRequest) -> Void
    ) {
        self.context = context
        self.ended = ended
        limit.arm(after: requestLimit)
        begin(own)
    }

    /// Sends the first operations.
    func begin(_ own: OwnMarks) {}

    func timedOut() {
        fail("the audio server did not answer within \(requestLimit)", .other)
    }

    /// Sends an operation, unless the request has ended. `operation` receives the context pointer for its
    /// callback.
    final func send(_ operation: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?) {
        guard let context else { return }
        guard let sent = operation(context, unretained(self)) else { return refused() }
        operations.append(sent)
    }

    final func detach() {
        limit.disarm()
        context = nil
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
        finish(.failure(AudioError(action, code: context.map(pa_context_errno) ?? 0)))
    }

    final func finish(_ result: Result<Value, AudioError>) {
        let (handler, observer) = (completion, ended)
        (completion, ended) = (nil, nil)
        detach()
        observer?(self)
        handler?(result)
    }
}

/// Time for the server to confirm everything.
private let requestLimit = Duration.seconds(2)
