import CPulse
import EventLoop

/// An order to move a recording stream, with one result.
///
/// PulseAudio remembers the last order for the stream's application (`module-stream-restore`), whose next
/// stream gets that source if it asks for none. For this order, which no person gave, it is made to remember
/// what it did before: this is read first, and written when the moves are confirmed. The stream stays where
/// it was moved.
@EventLoop
final class OutputMove: ConnectionRequest {
    /// Time for the server to confirm everything.
    private static let timeout = Duration.seconds(2)

    private let action: String
    private let output: UInt32
    private var sources: ArraySlice<UInt32>
    private let memory: String?
    /// The rest that is remembered, besides the source: of recording streams the volume, and whether they are
    /// muted.
    private var entry: pa_ext_stream_restore_info?
    /// Nil for none.
    private var rememberedSource: String?
    private var context: OpaquePointer?
    private var completion: (@EventLoop (Result<Void, AudioError>) -> Void)?
    private var operation: OpaquePointer?
    private var limit: TimerSource?
    private var ended: (@EventLoop (any ConnectionRequest) -> Void)?

    /// - Parameters:
    ///   - action: Completes "could not …".
    ///   - output: The server's index of the stream.
    ///   - sources: To which it is moved, one after the other.
    ///   - memory: The name under which PulseAudio remembers its source; nil: what it remembers is not put
    ///     back.
    ///   - completion: Called exactly once.
    init(
        _ action: String,
        _ output: UInt32,
        to sources: [UInt32],
        memory: String?,
        completion: @escaping @EventLoop (Result<Void, AudioError>) -> Void
    ) {
        self.action = action
        self.output = output
        self.sources = sources[...]
        self.memory = memory
        self.completion = completion
    }

    func start(
        on context: OpaquePointer,
        _ own: OwnMarks,
        ended: @escaping @EventLoop (any ConnectionRequest) -> Void
    ) {
        self.context = context
        self.ended = ended
        limit = TimerSource { [weak self] in
            self?.fail("the audio server did not answer within \(Self.timeout)", .other)
        }
        limit?.arm(after: Self.timeout)
        guard memory != nil else { return move() }
        advance { pa_ext_stream_restore_read($0, entryCallback, $1) }
    }

    func detach() {
        limit?.disarm()
        limit = nil
        context = nil
        release()
    }

    func fail(_ reason: String, _ kind: AudioError.Kind) {
        finish(.failure(AudioError(action, reason: reason, kind: kind)))
    }

    fileprivate func received(_ info: pa_ext_stream_restore_info, name: String?, source: String?) {
        guard name == memory else { return }
        entry = info
        rememberedSource = source
    }

    /// - Parameter end: Negative if the server remembers nothing, for want of the module.
    fileprivate func listEnded(_ end: Int32) {
        if end > 0, entry == nil { entry = pa_ext_stream_restore_info() }
        move()
    }

    private func move() {
        guard let source = sources.popFirst() else { return remember() }
        let output = output
        advance { pa_context_move_source_output_by_index($0, output, source, movedCallback, $1) }
    }

    fileprivate func moved(_ hasSucceeded: Bool, _ code: Int32) {
        guard hasSucceeded else { return finish(.failure(AudioError(action, code: code))) }
        move()
    }

    private func remember() {
        guard var entry, let memory else { return finish(.success(())) }
        memory.withCString { name in
            entry.name = name
            guard let rememberedSource else {
                entry.device = nil
                return write(&entry)
            }
            rememberedSource.withCString { source in
                entry.device = source
                write(&entry)
            }
        }
    }

    /// Copied by libpulse during the call.
    private func write(_ entry: inout pa_ext_stream_restore_info) {
        advance { pa_ext_stream_restore_write($0, PA_UPDATE_REPLACE, &entry, 1, 0, rememberedCallback, $1) }
    }

    /// The stream was moved, also if this was refused.
    fileprivate func remembered() { finish(.success(())) }

    private func advance(_ send: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?) {
        release()
        guard let context else { return }
        operation = send(context, unretained(self))
        if operation == nil { finish(.failure(AudioError(action, code: pa_context_errno(context)))) }
    }

    private func release() {
        guard let operation else { return }
        self.operation = nil
        pa_operation_cancel(operation)
        pa_operation_unref(operation)
    }

    private func finish(_ result: Result<Void, AudioError>) {
        let (handler, observer) = (completion, ended)
        (completion, ended) = (nil, nil)
        detach()
        observer?(self)
        handler?(result)
    }
}

private let entryCallback: pa_ext_stream_restore_read_cb_t = { _, info, end, move in
    // Its pointers are valid during the call, in which they are read, on the same thread.
    nonisolated(unsafe) let entry = info?.pointee
    onLoop(move, as: OutputMove.self) { move in
        if let entry { move.received(entry, name: text(entry.name), source: text(entry.device)) }
        if end != 0 { move.listEnded(end) }
    }
}

private let movedCallback: pa_context_success_cb_t = { context, hasSucceeded, move in
    let code = context.map(pa_context_errno) ?? 0
    onLoop(move, as: OutputMove.self) { $0.moved(hasSucceeded != 0, code) }
}

private let rememberedCallback: pa_context_success_cb_t = { _, _, move in
    onLoop(move, as: OutputMove.self) { $0.remembered() }
}
