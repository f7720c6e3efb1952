package import EventLoop

/// Plays audio to a speaker until it is closed or dropped.
///
/// The server receives only what it requests. Everything else waits in this object, so that the writer can be
/// slowed down.
@EventLoop
package final class PlaybackStream {
    package enum Event: Sendable, Equatable {
        /// The server has opened the stream: what is written will be played.
        case opened
        /// The server has received some of the pending samples, and there may be room for more.
        case writable
        /// The server has started to play what was written: a suspended sink has resumed. Once, and once
        /// after each ``PlaybackStream/replace(with:)``.
        case started
        /// Everything written has been played. Also reported at the regular end of what was written.
        case underflowed
        case moved(deviceName: String)
        /// The stream has ended. Reported at most once, as the last event.
        case failed(AudioError)
    }

    /// The sink, once known.
    package var deviceName: String? { handle?.deviceName }
    /// Bytes that wait until the server requests them.
    package var pendingByteCount: Int { pending.count }

    private var request: StreamRequest
    private var format: SampleSpec { request.format }
    /// The largest number of bytes that wait here.
    private let bound: Int
    /// The largest number of bytes that the server stores.
    private let storage: Int
    private var pending: [UInt8] = []
    private var events: (@EventLoop (Event) -> Void)?
    private var handle: StreamHandle?
    private var isStarted = false

    /// Requests the stream from the server, which must be ready; what is written before it is open waits. The
    /// request's `latency` is what the server buffers ahead. `events` is called in order, never before this
    /// initialiser returns.
    ///
    /// - Throws: If there is no connection or the request cannot be sent.
    package init(
        on server: AudioServer,
        _ request: StreamRequest,
        events: @escaping @EventLoop (Event) -> Void
    ) throws(AudioError) {
        self.request = request
        bound = request.format.byteCount(of: .seconds(2))
        storage = request.storedByteCount
        self.events = events
        let connection = try server.connected(StreamHandle.action(.playback, request.device))
        handle = try StreamHandle(.playback, request, on: connection) { [weak self] in self?.handle($0) }
    }

    isolated deinit { close() }

    /// Appends samples to play after all earlier ones. At most two seconds of samples wait.
    ///
    /// - Parameter samples: Whole sample frames in the stream's format; an incomplete one at the end is
    ///   ignored.
    /// - Returns: The number of bytes accepted: fewer than given if too much is waiting, 0 once the stream
    ///   has ended.
    package func write(_ samples: UnsafeRawBufferPointer) -> Int {
        guard handle != nil else { return 0 }
        var count = min(samples.count, bound - pending.count)
        count -= count % format.bytesPerSampleFrame
        pending.append(contentsOf: samples[..<count])
        transfer()
        return count
    }

    /// Discards everything that has not been played and sends these samples at once, whatever the server
    /// requests, so that they need no further writing. Between ``cork(_:)`` with true and with false they
    /// begin without a delay.
    ///
    /// - Parameter samples: Whole sample frames in the stream's format, at most the request's `bufferLimit`.
    /// - Returns: False if they are not accepted: the stream is not open, or they are too long.
    package func replace(with samples: UnsafeRawBufferPointer) -> Bool {
        guard let handle, handle.isOpen, samples.count <= storage,
            samples.count % format.bytesPerSampleFrame == 0
        else { return false }
        flush()
        isStarted = false
        return handle.write(samples)
    }

    /// Changes how much the server buffers ahead, until the next call; the request's `latency` is where it
    /// begins.
    ///
    /// PulseAudio runs a sink at the smallest latency of all its streams, also of those that are corked. A
    /// stream that waits for long is opened with a `latency` longer than any sink's, and gets a short one
    /// only while it plays: otherwise it keeps the server awake 200 times a second while somebody else plays
    /// music.
    package func setLatency(_ latency: Duration) {
        guard latency != request.latency, handle?.isOpen == true else { return }
        request.latency = latency
        handle?.setBuffer(request)
    }

    /// Pauses or resumes playing. What has been written stays. A corked stream does not count as playing for
    /// the server: PulseAudio pauses no player for its role. Before the stream is open, `startsCorked`
    /// decides.
    package func cork(_ isCorked: Bool) {
        handle?.cork(isCorked)
    }

    /// Discards everything that has not been played, here and in the server.
    package func flush() {
        pending = []
        handle?.flush()
    }

    /// Reports when everything written so far has been played. The stream must not be corked, and nothing may
    /// be written until then.
    ///
    /// - Parameter completion: Called once; never if the stream ends before.
    package func drain(then completion: @escaping @EventLoop () -> Void) {
        handle?.drain(then: completion)
    }

    /// Asks the server how long a sample takes from being written to the speaker: what waits before it, and
    /// the latency of the device.
    ///
    /// - Parameter completion: Called once, with nil if the server does not know; never if the stream ends
    ///   before.
    package func latency(_ completion: @escaping @EventLoop (Duration?) -> Void) {
        handle?.latency(completion)
    }

    /// Ends the stream immediately; pending samples are discarded. Further calls do nothing.
    package func close() {
        events = nil
        pending = []
        handle?.close()
        handle = nil
    }

    private func handle(_ event: StreamHandle.Event) {
        switch event {
        case .opened where isOnAvoidedDevice, .moved where isOnAvoidedDevice:
            let action = StreamHandle.action(.playback, nil)
            fail(AudioError(action, reason: "there is no speaker", kind: .noDevice))
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
        case .underflowed: events?(.underflowed)
        case .moved: events?(.moved(deviceName: handle?.deviceName ?? ""))
        case .failed(let error): fail(error)
        case .deviceChanged: break  // Capture only.
        }
    }

    private var isOnAvoidedDevice: Bool {
        request.avoidedDevice.map { $0 == deviceName } ?? false
    }

    private func fail(_ error: AudioError) {
        let handler = events
        close()
        handler?(.failed(error))
    }

    private func transfer() {
        guard let handle, let requested = handle.requestedByteCount else { return }
        let count = min(requested - requested % format.bytesPerSampleFrame, pending.count)
        guard count > 0 else { return }
        let isWritten = pending[..<count].withUnsafeBytes { handle.write($0) }
        if isWritten { pending.removeFirst(count) }
    }
}
