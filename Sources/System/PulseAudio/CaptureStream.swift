import CPulse
package import EventLoop

/// Sound from a microphone, for as long as this object exists and is not closed.
///
/// ``close()``, or dropping the last reference, ends the capture at once: nothing is delivered afterwards, and the
/// stream disappears from the server. If the server does not confirm that within two seconds, the connection to it
/// is dropped, which ends the stream as well.
@EventLoop
package final class CaptureStream {
    package enum Event: Sendable, Equatable {
        /// The device is what was asked for, and may deliver from now on.
        case opened(deviceName: String)
        /// The first fragment has arrived and is delivered next: the microphone is live.
        case started
        /// No fragment came for the time given as `stallLimit`, or none at all within `startLimit`.
        case stalled
        /// Fragments come again after `stalled`.
        case resumed
        /// The device was suspended, or woken up again.
        case suspended(Bool)
        /// Known with the opening, and after each change: whether the user has muted the source itself.
        case microphoneMuted(Bool)
        /// The stream has ended. Told at most once, and nothing after it.
        case failed(AudioError)
    }

    /// Bytes in the format asked for, good for the time of the call, and the time of the first sample: that of
    /// the arrival minus the length of what arrived. What the device and the server add is not known and not in it.
    package typealias FragmentHandler = @EventLoop (UnsafeRawBufferPointer, MonotonicInstant) -> Void

    /// What the server captures from, once known.
    package var deviceName: String? { handle?.deviceName }
    /// Whether the user has muted the source itself; nil until known.
    package private(set) var microphoneMuted: Bool?
    /// The first fragment has arrived.
    package private(set) var isStarted = false

    /// On the way to the first sample. Nothing is delivered before ``live``.
    private enum Phase {
        /// A microphone is looked for.
        case choosing
        /// The device has a name, and the stream is being opened on it, paused.
        case opening
        /// The stream is open. What it was opened on is looked at again: a name can change its bearer meanwhile, and
        /// pipewire-pulse 0.3.65 takes another source when the wanted one has gone.
        case verifying
        /// - Parameter since: When the server was told to deliver. What was captured before is not.
        case live(since: MonotonicInstant)
        case closed
    }

    private let request: StreamRequest
    private let startLimit: Duration
    private let stallLimit: Duration
    private let connection: Connection
    private var phase = Phase.choosing
    private var events: (@EventLoop (Event) -> Void)?
    private var fragments: FragmentHandler?
    private var handle: StreamHandle?
    private var watchdog: TimerSource?
    private var latestFragment = MonotonicInstant.now
    private var isStalled = false

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
    package convenience init(
        on server: AudioServer,
        _ request: StreamRequest,
        startLimit: Duration = .seconds(5),
        stallLimit: Duration = .milliseconds(500),
        events: @escaping @EventLoop (Event) -> Void,
        fragments: @escaping FragmentHandler
    ) throws(AudioError) {
        try self.init(
            on: server,
            request,
            choosingFrom: nil,
            startLimit,
            stallLimit,
            events: events,
            fragments: fragments
        )
    }

    /// `devices` is what the microphone is chosen from; the server is asked if it is nil.
    init(
        on server: AudioServer,
        _ request: StreamRequest,
        choosingFrom devices: AudioDevices?,
        _ startLimit: Duration,
        _ stallLimit: Duration,
        events: @escaping @EventLoop (Event) -> Void,
        fragments: @escaping FragmentHandler
    ) throws(AudioError) {
        var request = request
        if request.device == Self.wildcard { request.device = nil }
        self.request = request
        self.startLimit = max(startLimit, .milliseconds(1))
        self.stallLimit = max(stallLimit, .milliseconds(1))
        self.events = events
        self.fragments = fragments
        connection = try server.connected(StreamHandle.action(.capture, request.device))
        if let device = request.device ?? devices?.microphone?.name {
            try open(device)
        } else {
            askForSources { [weak self] in self?.choose($0) }
        }
        let watchdog = TimerSource { [weak self] in self?.checkForStall() }
        watchdog.arm(after: self.startLimit)
        self.watchdog = watchdog
    }

    isolated deinit { close() }

    /// Ends the capture. Further calls do nothing.
    package func close() {
        phase = .closed
        events = nil
        fragments = nil
        watchdog?.disarm()
        watchdog = nil
        handle?.close()
        handle = nil
    }

    // MARK: Opening

    /// The server's own name for the default source, which may be a monitor as well.
    private static let wildcard = "@DEFAULT_SOURCE@"

    private func choose(_ devices: AudioDevices) {
        guard case .choosing = phase else { return }
        guard let microphone = devices.microphone else {
            let reason =
                devices.sources.isEmpty
                ? "the audio server has none"
                : "the audio server has none, only what speakers play (\(devices.sources.map(\.name).joined(separator: ", ")))"
            return fail(AudioError(StreamHandle.action(.capture, nil), reason: reason, kind: .noDevice))
        }
        do throws(AudioError) {
            try open(microphone.name)
        } catch {
            fail(error)
        }
    }

    private func open(_ device: String) throws(AudioError) {
        var request = request
        request.device = device
        phase = .opening
        handle = try StreamHandle(.capture, request, on: connection) { [weak self] in self?.handle($0) }
    }

    private func verify(_ devices: AudioDevices) {
        guard case .verifying = phase, let handle, let index = handle.deviceIndex else { return }
        guard let source = devices.sources.first(where: { $0.index == index }) else {
            let error = AudioError(
                StreamHandle.action(.capture, request.device),
                reason: "it has gone",
                kind: .noDevice
            )
            return fail(error)
        }
        guard request.device != nil || devices.isMicrophone(source) else {
            let reason = "the audio server offered “\(source.name)”, which is none"
            return fail(AudioError(StreamHandle.action(.capture, nil), reason: reason, kind: .noDevice))
        }
        phase = .live(since: .now)
        handle.start()
        events?(.opened(deviceName: source.name))
        learned(source)
    }

    private func askForSources(_ completion: @escaping @EventLoop (AudioDevices) -> Void) {
        let query = DeviceQuery(StreamHandle.action(.capture, request.device), .sources) { [weak self] in
            switch $0 {
            case .success(let devices): completion(devices)
            case .failure(let error): self?.fail(error)
            }
        }
        connection.query(query)
    }

    // MARK: Events

    private func handle(_ event: StreamHandle.Event) {
        switch event {
        case .opened:
            phase = .verifying
            askForSources { [weak self] in self?.verify($0) }
        case .transferable: deliver()
        case .moved:
            // The stream is to stay where it is, so this is none of what was looked at.
            let reason = "the audio server put it on another device"
            fail(AudioError(StreamHandle.action(.capture, request.device), reason: reason, kind: .noDevice))
        case .suspended: events?(.suspended(handle?.isSuspended ?? false))
        case .deviceChanged: askForState()
        case .failed(let error): fail(error)
        case .playing, .underflowed: break  // Of playback only.
        }
    }

    private func deliver() {
        guard case .live(let beginning) = phase, let stream = handle?.stream else { return }
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
            let time = arrival + (.zero - request.format.duration(ofBytes: waiting))
            let early = min(count, request.format.byteCount(of: max(.zero, beginning - time)))
            pass(data, early..<count, at: max(time, beginning))
            guard fragments != nil else { return }
            // Fails only without data, which was checked.
            _ = pa_stream_drop(stream)
        }
    }

    /// Hands out these bytes of `data`, which is nil for a hole in the server's record.
    private func pass(_ data: UnsafeRawPointer?, _ range: Range<Int>, at time: MonotonicInstant) {
        guard !range.isEmpty else { return }
        noteLife()
        if let data {
            fragments?(UnsafeRawBufferPointer(start: data + range.lowerBound, count: range.count), time)
        } else {
            [UInt8](repeating: 0, count: range.count).withUnsafeBytes { fragments?($0, time) }
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

    private func fail(_ error: AudioError) {
        let told = events
        close()
        told?(.failed(error))
    }

    private func askForState() {
        guard let handle, let index = handle.deviceIndex else { return }
        let query = DeviceQuery("ask for the state of the microphone", .source(index: index)) { [weak self] in
            switch $0 {
            case .success(let devices): devices.sources.first.map { self?.learned($0) }
            // The state stays what it was last known to be.
            case .failure: break
            }
        }
        connection.query(query)
    }

    private func learned(_ source: AudioDevice) {
        guard source.isMuted != microphoneMuted else { return }
        microphoneMuted = source.isMuted
        events?(.microphoneMuted(source.isMuted))
    }
}
