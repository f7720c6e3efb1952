import EventLoop

/// The playback stream into the sink of a virtual source: open and corked while an application records, so
/// that it starts at once and causes no wake-ups otherwise.
@EventLoop
final class FeedStream {
    /// The most that the server asks for. What it does not ask for waits here and arrives late, so that it is
    /// more than ever waits there.
    private static let latency = Duration.milliseconds(40)
    /// As the microphone's samples arrive: a longer one would wait for the next.
    private static let portion = Duration.milliseconds(5)
    /// The amount for which the server waits before it plays. It takes a portion at once: what is more than
    /// that is for how much later than usual the microphone's samples may arrive before there is a hole.
    private static let prebuffer = Duration.milliseconds(10)
    /// The longest delay with which the last sample may be played: periods of the server, and of its
    /// loopback. The server is not asked to drain: a stream of pipewire-pulse 0.3.65 does not begin again at
    /// once after that.
    private static let lateness = Duration.milliseconds(15)
    /// The most that is stored, here and in the server.
    private static let limit = Duration.milliseconds(100)

    private let format = SampleSpec.speech
    private var handle: StreamHandle?
    private var storedAtOpening: Int?
    private var failed: (@EventLoop (AudioError) -> Void)?
    private var pending: [Int16] = []
    private var isFeeding = false
    /// A part of the present sound has been sent.
    private var hasBegun = false
    /// Called once what was written is played, or will not be.
    private var drained: (@EventLoop () -> Void)?
    private lazy var due = TimerSource { [weak self] in self?.end() }
    private var corrector = DriftCorrector(rate: SampleSpec.speech.rate)
    /// The first block that was left out.
    private var omitted: [Int16]?

    /// Plays to the sink of the source; the server must be ready. `failed` is called at most once, after this
    /// initialiser has returned.
    ///
    /// - Throws: If the request cannot be sent.
    init(
        on server: AudioServer,
        of definition: VirtualSourceDefinition,
        failed: @escaping @EventLoop (AudioError) -> Void
    ) throws(AudioError) {
        self.failed = failed
        var request = StreamRequest(
            name: definition.feedDescription,
            format: format,
            role: nil,
            latency: Self.latency,
            device: definition.feedName,
            startsCorked: true,
            bufferLimit: Self.limit
        )
        request.staysOnDevice = true
        request.prebuffer = Self.prebuffer
        request.portion = Self.portion
        request.properties = [definition.mark: "stream"]
        let connection = try server.connected(StreamHandle.action(.playback, definition.feedName))
        handle = try StreamHandle(.playback, request, on: connection) { [weak self] in self?.handle($0) }
    }

    isolated deinit { close() }

    func close() {
        failed = nil
        handle?.close()
        handle = nil
        reportDrained()
    }

    /// Plays what is written from now on.
    func begin() {
        if drained != nil { end() }
        (isFeeding, hasBegun) = (true, false)
        (pending, omitted) = ([], nil)
        corrector.begin()
        handle?.cork(false)
    }

    /// Discards what has not been played.
    func end() {
        isFeeding = false
        (pending, omitted) = ([], nil)
        handle?.cork(true)
        // An earlier sound would be heard at the next beginning.
        handle?.flush()
        reportDrained()
    }

    /// Ends as soon as what has been written is played; what is written from now on is not.
    ///
    /// - Parameter completion: Called once, within ``limit`` and ``lateness``, possibly during this call.
    func finish(then completion: @escaping @EventLoop () -> Void) {
        drained = completion
        guard isFeeding, handle?.isOpen == true else { return end() }
        let waiting = format.duration(ofBytes: max(0, level) * format.bytesPerSampleFrame)
        transfer(all: true)
        isFeeding = false
        due.arm(after: min(waiting, Self.limit) + Self.lateness)
    }

    private func reportDrained() {
        due.disarm()
        let handler = drained
        drained = nil
        handler?()
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

    /// The number of samples that wait, here and in the server, without those that the server wants to store
    /// in addition since it requests more at once.
    private var level: Int {
        guard let stored = handle?.storedByteCount, let requested = handle?.requestedByteCount else {
            return pending.count
        }
        let additional = max(0, stored - (storedAtOpening ?? stored))
        return pending.count + (max(0, stored - requested) - additional) / format.bytesPerSampleFrame
    }

    /// On a machine that was late before, a sound begins that much later, and then has no hole.
    private var isHeldBack: Bool {
        guard corrector.headStart > 0 else { return false }
        let usual = format.byteCount(of: Self.prebuffer) / format.bytesPerSampleFrame
        return pending.count < usual + corrector.headStart
    }

    /// Sends what the server asks for, or all there is, which the server can store.
    private func transfer(all isEverything: Bool = false) {
        guard let handle, let requested = handle.requestedByteCount else { return }
        let count = isEverything ? pending.count : min(requested / format.bytesPerSampleFrame, pending.count)
        guard count > 0, hasBegun || isEverything || !isHeldBack else { return }
        hasBegun = true
        let isWritten = pending[..<count].withUnsafeBytes { handle.write($0) }
        if isWritten { pending.removeFirst(count) }
    }

    private func handle(_ event: StreamHandle.Event) {
        switch event {
        case .opened:
            storedAtOpening = handle?.storedByteCount
            // Begun while it was being opened.
            if isFeeding { handle?.cork(false) }
            transfer()
        case .transferable:
            transfer()
        case .failed(let error):
            let handler = failed
            close()
            handler?(error)
        case .underflowed:
            if isFeeding { corrector.ranEmpty() }
        case .playing, .moved, .deviceChanged:
            break
        }
    }
}
