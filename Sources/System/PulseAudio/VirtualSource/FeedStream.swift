import CPulse
import EventLoop

/// The playback stream into the sink of a virtual source: open and corked while an application records, so that it
/// starts at once and causes no wake-ups otherwise.
@EventLoop
final class FeedStream {
    /// What the server stores at most, 15 ms, and half of what remains beside two portions, 5 ms, in its sink. What it does
    /// not ask for waits here and arrives late, so that it is more than usually waits there.
    private static let latency = Duration.milliseconds(20)
    /// As the microphone's samples arrive: a longer one would wait for the next.
    private static let portion = Duration.milliseconds(5)
    /// What the server waits for before it plays, and what it then stores; pipewire-pulse 0.3.65 waits for a period. Less,
    /// and a busy machine interrupts the sound; more, and it is later.
    private static let prebuffer = Duration.milliseconds(5)
    /// What is stored at most, here and in the server.
    private static let limit = Duration.milliseconds(100)

    private let format: SampleSpec
    private var handle: StreamHandle?
    private var storedAtOpening: Int?
    private var failed: (@EventLoop (AudioError) -> Void)?
    private var pending: [Int16] = []
    private var isFeeding = false
    private var corrector: DriftCorrector
    /// The first block that was left out.
    private var omitted: [Int16]?

    /// - Parameters:
    ///   - server: Must be ready.
    ///   - sink: The server's name of the sink.
    ///   - properties: Of the stream.
    ///   - failed: Called at most once, after this initialiser has returned.
    /// - Throws: If the request cannot be sent.
    init(
        on server: AudioServer,
        sink: String,
        properties: [String: String],
        failed: @escaping @EventLoop (AudioError) -> Void
    ) throws(AudioError) {
        format = .speech
        corrector = DriftCorrector(rate: format.rate)
        self.failed = failed
        let request = StreamRequest(
            name: "Push to talk",
            format: format,
            role: nil,
            latency: Self.latency,
            device: sink,
            startsCorked: true,
            staysOnDevice: true,
            prebuffer: Self.prebuffer,
            portion: Self.portion,
            bufferLimit: Self.limit,
            properties: properties
        )
        let connection = try server.connected(StreamHandle.action(.playback, sink))
        handle = try StreamHandle(.playback, request, on: connection) { [weak self] in self?.handle($0) }
    }

    isolated deinit { close() }

    func close() {
        failed = nil
        handle?.close()
        handle = nil
    }

    /// What is written is played from now on.
    func begin() {
        isFeeding = true
        (pending, omitted) = ([], nil)
        corrector = DriftCorrector(rate: format.rate)
        handle?.cork(false)
    }

    /// Discards what has not been played.
    func end() {
        isFeeding = false
        (pending, omitted) = ([], nil)
        handle?.cork(true)
        // An earlier sound would be heard at the next beginning.
        handle?.flush()
    }

    /// - Parameter samples: 16 bit, mono, 48 kHz.
    func write(_ samples: UnsafeRawBufferPointer) {
        guard isFeeding, handle != nil else { return }
        samples.withMemoryRebound(to: Int16.self) { append($0) }
        transfer()
    }

    private func append(_ block: UnsafeBufferPointer<Int16>) {
        guard !block.isEmpty else { return }
        switch corrector.adjustment(level: level, adding: block.count) {
        case .omit:
            if omitted == nil { omitted = Array(block) }
        case .none:
            if let omitted {
                pending += SampleBlock.crossFaded(omitted, block)
                self.omitted = nil
            } else {
                pending += block
            }
        case .lengthen: pending += SampleBlock.stretched(block, to: block.count + 1)
        case .shorten: pending += SampleBlock.stretched(block, to: block.count - 1)
        }
        // Only while the stream is not open: the corrector bounds the level otherwise.
        pending.removeFirst(
            max(0, pending.count - format.byteCount(of: Self.limit) / format.bytesPerSampleFrame)
        )
    }

    /// How many samples wait, here and in the server, without those that the server wants to store in addition since it
    /// requests more at once.
    private var level: Int {
        guard let stored = storedByteCount, let stream = handle?.stream else { return pending.count }
        let requested = pa_stream_writable_size(stream)
        guard requested != .max else { return pending.count }
        let additional = max(0, stored - (storedAtOpening ?? stored))
        return pending.count + (max(0, stored - requested) - additional) / format.bytesPerSampleFrame
    }

    /// What the server wants to store. PipeWire raises it if it runs at a longer period, as it does in a virtual machine.
    private var storedByteCount: Int? {
        guard let handle, handle.isOpen, let stream = handle.stream else { return nil }
        return pa_stream_get_buffer_attr(stream).map { Int($0.pointee.tlength) }
    }

    private func transfer() {
        guard let handle, handle.isOpen, let stream = handle.stream else { return }
        let requested = pa_stream_writable_size(stream)
        guard requested != .max else { return }
        let count = min(requested / format.bytesPerSampleFrame, pending.count)
        guard count > 0 else { return }
        let result = pending.withUnsafeBytes {
            pa_stream_write(
                stream,
                $0.baseAddress,
                count * format.bytesPerSampleFrame,
                nil,
                0,
                PA_SEEK_RELATIVE
            )
        }
        // Refused only if the stream is not open, which has been checked; its end is reported separately.
        if result >= 0 { pending.removeFirst(count) }
    }

    private func handle(_ event: StreamHandle.Event) {
        switch event {
        case .opened:
            storedAtOpening = storedByteCount
            // Begun while it was being opened.
            if isFeeding { handle?.cork(false) }
            transfer()
        case .transferable:
            transfer()
        case .failed(let error):
            let handler = failed
            close()
            handler?(error)
        case .playing, .underflowed, .moved, .suspended, .deviceChanged:
            break
        }
    }
}
