import CPulse
import EventLoop

/// A request about an open stream that the server confirms.
@EventLoop
final class StreamOperation {
    fileprivate weak var handle: StreamHandle?
    fileprivate let completion: @EventLoop (_ hasSucceeded: Bool) -> Void

    fileprivate init(_ handle: StreamHandle, _ completion: @escaping @EventLoop (Bool) -> Void) {
        self.handle = handle
        self.completion = completion
    }
}

extension StreamHandle {
    /// If the server refuses to uncork a capture stream, no data arrives.
    func cork(_ isCorked: Bool) {
        send { pa_stream_cork($0, isCorked ? 1 : 0, nil, nil) }
    }

    /// Discards what the server has not played.
    func flush() {
        send { pa_stream_flush($0, nil, nil) }
    }

    /// Replaces what the server buffers by the amounts of another request.
    func setBuffer(_ request: StreamRequest) {
        var attributes = request.bufferAttributes(direction)
        send { pa_stream_set_buffer_attr($0, &attributes, nil, nil) }
    }

    /// The number of bytes that the server asks for; nil if the stream is not open.
    var requestedByteCount: Int? {
        guard isOpen, let stream else { return nil }
        let count = pa_stream_writable_size(stream)
        return count < 0 ? nil : count
    }

    /// The number of bytes that the server wants to store; nil if the stream is not open. PipeWire raises it
    /// if it runs at a longer period, as it does in a virtual machine.
    var storedByteCount: Int? {
        guard isOpen, let stream else { return nil }
        return pa_stream_get_buffer_attr(stream).map { Int($0.pointee.tlength) }
    }

    /// - Returns: False if the stream is not open; its end is reported separately.
    func write(_ samples: UnsafeRawBufferPointer) -> Bool {
        guard isOpen, let stream else { return false }
        return pa_stream_write(stream, samples.baseAddress, samples.count, nil, 0, PA_SEEK_RELATIVE) >= 0
    }

    func drain(then completion: @escaping @EventLoop () -> Void) {
        start({ pa_stream_drain($0, $1, $2) }, completion: { _ in completion() })
    }

    /// The latency of the stream at this moment, as the server reports it; nil if it does not know.
    func latency(_ completion: @escaping @EventLoop (Duration?) -> Void) {
        let update = { pa_stream_update_timing_info($0, $1, $2) }
        start(
            update,
            completion: { [weak self] hasSucceeded in completion(hasSucceeded ? self?.reportedLatency : nil) }
        )
    }

    private var reportedLatency: Duration? {
        guard isOpen, let stream else { return nil }
        var (microseconds, isNegative): (pa_usec_t, Int32) = (0, 0)
        guard pa_stream_get_latency(stream, &microseconds, &isNegative) >= 0 else { return nil }
        // Negative for a monitor whose sink has not played yet what it delivers.
        return isNegative != 0 ? .zero : .microseconds(Int64(clamping: microseconds))
    }

    /// Without a confirmation: libpulse refuses only if the stream is not open, and its end is reported
    /// separately.
    private func send(_ request: (OpaquePointer) -> OpaquePointer?) {
        guard isOpen, let stream, let operation = request(stream) else { return }
        pa_operation_unref(operation)
    }

    private func start(
        _ request: (OpaquePointer, pa_stream_success_cb_t, UnsafeMutableRawPointer) -> OpaquePointer?,
        completion: @escaping @EventLoop (Bool) -> Void
    ) {
        guard isOpen, let stream else { return completion(false) }
        let operation = StreamOperation(self, completion)
        guard let sent = request(stream, confirmedCallback, unretained(operation)) else {
            return completion(false)
        }
        pa_operation_unref(sent)
        operations.append(operation)
    }

    fileprivate func confirmed(_ operation: StreamOperation, _ hasSucceeded: Bool) {
        operations.removeAll { $0 === operation }
        if !isClosing { operation.completion(hasSucceeded) }
    }
}

private let confirmedCallback: pa_stream_success_cb_t = { _, hasSucceeded, operation in
    onLoop(operation, as: StreamOperation.self) { $0.handle?.confirmed($0, hasSucceeded != 0) }
}
