import CPulse
package import EventLoop

/// Sound to a speaker, for as long as this object exists and is not closed.
@EventLoop
package final class PlaybackStream {
    package enum Event: Sendable, Equatable {
        /// The server has the stream: what is written will be played.
        case opened
        /// The server has taken some of what waits, and there may be room for more.
        case writable
        /// The server has begun to play what was written: a sink that slept is awake now.
        case started
        /// Everything written has been played and more was wanted. Also told by the end of what was written.
        case underflowed
        case moved(deviceName: String)
        case suspended(Bool)
        /// The stream has ended. Told at most once, and nothing after it.
        case failed(AudioError)
    }

    /// What the server plays to, once known.
    package var deviceName: String? { handle?.deviceName }
    /// How often the server had nothing to play since the opening.
    package private(set) var underflowCount = 0
    /// Bytes that wait here until the server wants them.
    package var pendingByteCount: Int { pending.count }

    private let format: SampleSpec
    private let bound: Int
    private let isPaced: Bool
    private var pending: [UInt8] = []
    private var events: (@EventLoop (Event) -> Void)?
    private var handle: StreamHandle?
    private var drain: Drain?
    private var isStarted = false

    /// Asks the server for the stream; what is written before it is open waits here.
    ///
    /// - Parameters:
    ///   - server: Must be ready.
    ///   - request: `latency` is what the server holds ahead.
    ///   - isPaced: Whether the server gets only what it asks for, so that what is written waits here and its writer can
    ///     be held up. Otherwise it gets all that it can hold, and playing goes on although this process is late.
    ///   - events: Told in order, never before this initialiser returns.
    /// - Throws: If there is no connection or the request cannot be sent.
    package init(
        on server: AudioServer,
        _ request: StreamRequest,
        isPaced: Bool = false,
        events: @escaping @EventLoop (Event) -> Void
    ) throws(AudioError) {
        format = request.format
        self.isPaced = isPaced
        bound = request.format.byteCount(of: .seconds(2))
        self.events = events
        let connection = try server.connected(StreamHandle.action(.playback, request.device))
        handle = try StreamHandle(.playback, request, on: connection) { [weak self] in self?.handle($0) }
    }

    isolated deinit { close() }

    /// Takes samples to play after all earlier ones, never more than two seconds of them.
    ///
    /// - Parameter samples: Whole sample frames in the stream's format; the rest of a broken one is left out.
    /// - Returns: The bytes taken: fewer than given if too much waits already, 0 once the stream has ended.
    package func write(_ samples: UnsafeRawBufferPointer) -> Int {
        guard handle != nil, drain == nil else { return 0 }
        var count = min(samples.count, bound - pending.count)
        count -= count % format.bytesPerSampleFrame
        pending.append(contentsOf: samples[..<count])
        transfer()
        return count
    }

    /// Plays to the end of what was written.
    ///
    /// - Parameter completion: Called exactly once: with true when all of it was played, with false if the stream
    ///   ended before, or the server did not get there in time. Nothing can be written meanwhile.
    package func drain(_ completion: @escaping @EventLoop (Bool) -> Void) {
        guard handle != nil, drain == nil else {
            completion(false)
            return
        }
        drain = Drain(limit: format.duration(ofBytes: pending.count) + .seconds(2)) { [weak self] isPlayed in
            self?.drain = nil
            completion(isPlayed)
        }
        transfer()
    }

    /// Ends the stream at once, played out or not. Further calls do nothing.
    package func close() {
        events = nil
        pending = []
        handle?.close()
        handle = nil
        drain?.finish(false)
    }

    private func handle(_ event: StreamHandle.Event) {
        switch event {
        case .opened:
            transfer()
            events?(.opened)
        case .transferable:
            let before = pending.count
            transfer()
            if pending.count < before { events?(.writable) }
        case .playing:
            if !isStarted {
                isStarted = true
                events?(.started)
            }
        case .underflowed:
            underflowCount += 1
            events?(.underflowed)
        case .moved: events?(.moved(deviceName: handle?.deviceName ?? ""))
        case .suspended: events?(.suspended(handle?.isSuspended ?? false))
        case .failed(let error):
            let told = events
            close()
            told?(.failed(error))
        case .deviceChanged: break  // Of capture only.
        }
    }

    private func transfer() {
        guard let handle, handle.isOpen, let stream = handle.stream else { return }
        let count = min(room(in: stream), pending.count)
        if count > 0 {
            let result = pending.withUnsafeBytes {
                pa_stream_write(stream, $0.baseAddress, count, nil, 0, PA_SEEK_RELATIVE)
            }
            // Refused only while the stream is not open, which was checked; its end is told by itself.
            if result >= 0 { pending.removeFirst(count) }
        }
        if pending.isEmpty { drain?.start(on: stream) }
    }

    private func room(in stream: OpaquePointer) -> Int {
        let wanted = pa_stream_writable_size(stream)
        // 0 as well while there lies more than the server asked for: how much more is not told.
        guard wanted != .max, wanted > 0, let buffer = pa_stream_get_buffer_attr(stream)?.pointee else {
            return 0
        }
        if isPaced { return wanted - wanted % format.bytesPerSampleFrame }
        let room = wanted + Int(buffer.maxlength) - Int(min(buffer.tlength, buffer.maxlength))
        return room - room % format.bytesPerSampleFrame
    }
}

/// The wait for the end of what was written.
@EventLoop
private final class Drain {
    private var completion: (@EventLoop (Bool) -> Void)?
    private var operation: OpaquePointer?
    private var limit: TimerSource?

    init(limit: Duration, _ completion: @escaping @EventLoop (Bool) -> Void) {
        self.completion = completion
        let timer = TimerSource { [weak self] in self?.finish(false) }
        timer.arm(after: limit)
        self.limit = timer
    }

    func start(on stream: OpaquePointer) {
        guard operation == nil else { return }
        operation = pa_stream_drain(
            stream,
            { _, success, drain in onLoop(drain, Drain.self) { $0.finish(success != 0) } },
            unretained(self)
        )
        if operation == nil { finish(false) }
    }

    func finish(_ isPlayed: Bool) {
        limit?.disarm()
        limit = nil
        if let operation {
            // No call comes after it, so this object may go.
            pa_operation_cancel(operation)
            pa_operation_unref(operation)
        }
        operation = nil
        let told = completion
        completion = nil
        told?(isPlayed)
    }
}
