internal import CPulse
public import EventLoop

/// Sound from a microphone, for as long as this object exists and is not closed.
///
/// ``close()``, or dropping the last reference, ends the capture at once: nothing is delivered afterwards, and the
/// stream disappears from the server. If the server does not confirm that within two seconds, the connection to it
/// is dropped, which ends the stream as well.
@EventLoop
public final class CaptureStream {
    public enum Event: Sendable, Equatable {
        /// The first fragment has arrived and is delivered next: the microphone is live.
        case started
        /// No fragment came for the time given as `stallLimit`, or none at all within `startLimit`.
        case stalled
        /// Fragments come again after `stalled`.
        case resumed
        /// The server changed the device under the stream, usually because the former one has gone. A move from a
        /// microphone to what a speaker plays, which servers make when no microphone is left, is a failure instead.
        case moved(deviceName: String)
        /// The device was suspended, or woken up again.
        case suspended(Bool)
        /// Known after the opening, and after each change: whether the user has muted the source itself.
        case microphoneMuted(Bool)
        /// The stream has ended. Told at most once, and nothing after it.
        case failed(AudioError)
    }

    /// Bytes in the format asked for, good for the time of the call, and the time of the first sample: that of
    /// the arrival minus the length of what arrived. What the device and the server add is not known and not in it.
    public typealias FragmentHandler = @EventLoop (UnsafeRawBufferPointer, MonotonicInstant) -> Void

    /// What the server captures from, once known.
    public var deviceName: String? { handle?.deviceName }
    /// Whether the user has muted the source itself; nil until known.
    public private(set) var microphoneMuted: Bool?
    /// The first fragment has arrived.
    public private(set) var isStarted = false

    private let format: AudioFormat
    private let startLimit: Duration
    private let stallLimit: Duration
    private var events: (@EventLoop (Event) -> Void)?
    private var fragments: FragmentHandler?
    private var handle: StreamHandle?
    private var watchdog: TimerSource?
    private var latestFragment = MonotonicInstant.now
    private var isStalled = false
    private var isMoving = false
    /// Whether this captures what a speaker plays; nil until known.
    private var isMonitor: Bool?

    /// Asks the server for the stream; `started` is told when sound arrives.
    ///
    /// - Parameters:
    ///   - server: Must be ready.
    ///   - request: `latency` is the wanted size of a fragment; servers deliver other sizes too.
    ///   - startLimit: How long the first fragment may take, from this call on. A source that sleeps has to be woken,
    ///     and a Bluetooth headset to change its profile. At least a millisecond.
    ///   - stallLimit: A source can fall silent without a word from the server: PipeWire leaves a stream unlinked
    ///     when its source goes and there is no other. At least a millisecond.
    ///   - events: Told in order, never before this initialiser returns.
    ///   - fragments: Called for each fragment, holes in the server's record included, as silence.
    /// - Throws: If there is no connection or the request cannot be sent.
    public init(
        on server: AudioServer,
        _ request: StreamRequest,
        startLimit: Duration = .seconds(5),
        stallLimit: Duration = .milliseconds(500),
        events: @escaping @EventLoop (Event) -> Void,
        fragments: @escaping FragmentHandler
    ) throws(AudioError) {
        format = request.format
        self.startLimit = max(startLimit, .milliseconds(1))
        self.stallLimit = max(stallLimit, .milliseconds(1))
        self.events = events
        self.fragments = fragments
        handle = try StreamHandle(.capture, request, on: server) { [weak self] in self?.handle($0) }
        let watchdog = TimerSource { [weak self] in self?.checkForStall() }
        watchdog.arm(after: self.startLimit)
        self.watchdog = watchdog
    }

    isolated deinit { close() }

    /// Ends the capture. Further calls do nothing.
    public func close() {
        events = nil
        fragments = nil
        watchdog?.disarm()
        watchdog = nil
        handle?.close()
        handle = nil
    }

    private func handle(_ event: StreamHandle.Event) {
        switch event {
        case .opened: ask { [weak self] in self?.learned($0) }
        case .transferable: deliver()
        case .moved: follow()
        case .suspended: events?(.suspended(handle?.isSuspended ?? false))
        case .deviceChanged: ask { [weak self] in self?.learned($0) }
        case .failed(let error): fail(error)
        case .playing, .underflowed: break  // Of playback only.
        }
    }

    private func deliver() {
        guard let stream = handle?.stream else { return }
        // The handler may close this stream in the middle.
        pa_stream_ref(stream)
        defer { pa_stream_unref(stream) }
        let arrival = MonotonicInstant.now
        latestFragment = arrival
        while fragments != nil {
            var data: UnsafeRawPointer?
            var count = 0
            let waiting = pa_stream_readable_size(stream)
            guard waiting > 0, waiting != .max, pa_stream_peek(stream, &data, &count) >= 0, count > 0 else {
                return
            }
            guard !isMoving else {
                _ = pa_stream_drop(stream)
                continue
            }
            noteLife()
            let time = arrival + (.zero - format.duration(ofBytes: waiting))
            if let data {
                fragments?(UnsafeRawBufferPointer(start: data, count: count), time)
            } else {
                [UInt8](repeating: 0, count: count).withUnsafeBytes { fragments?($0, time) }
            }
            guard fragments != nil else { return }
            // Fails only without data, which was checked.
            _ = pa_stream_drop(stream)
        }
    }

    private func noteLife() {
        if isStalled {
            isStalled = false
            watchdog?.arm(after: stallLimit)
            events?(.resumed)
        }
        if !isStarted {
            isStarted = true
            watchdog?.arm(after: stallLimit)
            events?(.started)
        }
    }

    /// Looks back instead of being re-armed by each fragment, which would cost a system call each.
    private func checkForStall() {
        let due = latestFragment + (isStarted ? stallLimit : startLimit)
        if due > .now {
            watchdog?.arm(at: due)
        } else {
            isStalled = true
            events?(.stalled)
        }
    }

    /// Finds out what the stream was moved to; what it captures meanwhile is not delivered.
    private func follow() {
        isMoving = true
        ask { [weak self] source in
            guard let self else { return }
            isMoving = false
            if let source, source.isMonitor, isMonitor == false {
                let reason = "the microphone has gone and there is no other"
                fail(AudioError("go on capturing", reason))
                return
            }
            events?(.moved(deviceName: handle?.deviceName ?? ""))
            learned(source)
        }
    }

    private func fail(_ error: AudioError) {
        let told = events
        close()
        told?(.failed(error))
    }

    /// Without an answer within two seconds `completion` gets nil.
    private func ask(_ completion: @escaping @EventLoop (AudioDevice?) -> Void) {
        guard let handle, let index = handle.deviceIndex else { return }
        let query = DeviceQuery("ask for the state of the microphone", .source(index: index)) { result in
            switch result {
            case .success(let devices): completion(devices.sources.first)
            // The states stay what they were last known to be.
            case .failure: completion(nil)
            }
        }
        handle.connection.query(query)
    }

    private func learned(_ source: AudioDevice?) {
        guard let source else { return }
        isMonitor = source.isMonitor
        guard source.isMuted != microphoneMuted else { return }
        microphoneMuted = source.isMuted
        events?(.microphoneMuted(source.isMuted))
    }
}
