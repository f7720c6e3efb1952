import CPulse
import EventLoop

/// An order to move a recording stream, with one result.
///
/// PulseAudio remembers the last order for the stream's application (`module-stream-restore`), whose next
/// stream gets that source if it asks for none. For this order, which no person gave, it is made to remember
/// what it did before: this is read first, and written when the moves are confirmed. The stream stays where
/// it was moved.
@EventLoop
final class OutputMove: ServerRequest<Void> {
    private let output: UInt32
    private var sources: ArraySlice<UInt32>
    private let memory: String?
    /// The rest that is remembered, besides the source: of recording streams the volume, and whether they are
    /// muted.
    private var entry: pa_ext_stream_restore_info?
    /// Nil for none.
    private var rememberedSource: String?

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
        completion: @escaping Completion
    ) {
        self.output = output
        self.sources = sources[...]
        self.memory = memory
        super.init(action, completion: completion)
    }

    override func begin() {
        guard memory != nil else { return move() }
        send { pa_ext_stream_restore_read($0, entryCallback, $1) }
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

    fileprivate func move() {
        guard let source = sources.popFirst() else { return remember() }
        let output = output
        send { pa_context_move_source_output_by_index($0, output, source, movedCallback, $1) }
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
        send { pa_ext_stream_restore_write($0, PA_UPDATE_REPLACE, &entry, 1, 0, rememberedCallback, $1) }
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

private let movedCallback: pa_context_success_cb_t = { _, hasSucceeded, move in
    onLoop(move, as: OutputMove.self) { hasSucceeded != 0 ? $0.move() : $0.refused() }
}

private let rememberedCallback: pa_context_success_cb_t = { _, _, move in
    // The stream was moved, also if this was refused.
    onLoop(move, as: OutputMove.self) { $0.finish(.success(())) }
}
