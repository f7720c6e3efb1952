import CPulse
package import EventLoop

/// Captures audio from a microphone until it is closed or dropped.
///
/// ``close()``, or dropping the last reference, ends the capture immediately: nothing is delivered
/// afterwards, and the stream is removed from the server. If the server does not confirm that within two
/// seconds, the connection to it is closed, which ends the stream as well.
@EventLoop
package final class CaptureStream {
    /// Receives bytes in the requested format, valid during the call, and the time of the first sample: the
    /// time of arrival minus the duration of the fragment. The latency of the device and the server is
    /// unknown and not included.
    package typealias FragmentHandler = @EventLoop (UnsafeRawBufferPointer, MonotonicInstant) -> Void

    /// How long the first fragment may take. A suspended source has to resume, and a Bluetooth headset to
    /// switch its profile.
    static let startLimit = Duration.seconds(5)

    /// The source, once known.
    package var deviceName: String? { handle?.deviceName }
    /// The source as it was reported last; nil until the stream is open.
    var source: SourceState?
    /// The inputs that must stay the same while they are captured.
    var inputs = CapturedInputs([])
    /// True if the first fragment has arrived.
    private var isStarted = false
    var liveness = CaptureLiveness()

    /// The steps to the first sample. Nothing is delivered before ``live``.
    enum Phase {
        /// Choosing a microphone.
        case choosing
        /// Opening the stream on the named device, corked.
        case opening
        /// The stream is open. Its source is checked again: a name may have moved to another device
        /// meanwhile, and pipewire-pulse 0.3.65 uses another source if the requested one has gone.
        case verifying
        /// - Parameter since: When the stream was uncorked. Samples captured earlier are not delivered.
        case live(since: MonotonicInstant)
        case closed
    }

    private let request: StreamRequest
    private let stallLimit: Duration
    let connection: Connection
    private(set) var phase = Phase.choosing
    private(set) var events: (@EventLoop (Event) -> Void)?
    private var fragments: FragmentHandler?
    private(set) var handle: StreamHandle?
    private var watchdog: TimerSource?
    /// libpulse reads a connection to PulseAudio for as long as more has come meanwhile, in one turn of the
    /// loop: a handler that takes longer than the next fragment to come would never let it end.
    private lazy var delivery = DeferredSource { [weak self] in self?.deliver() }
    private var latestFragment = MonotonicInstant.now

    /// Requests the stream from the server; ``Event/started`` reports that audio arrives.
    ///
    /// - Parameters:
    ///   - server: Must be ready.
    ///   - request: `latency` is the wanted size of a fragment; servers deliver other sizes too.
    ///   - devices: The microphone is chosen from these, or if nil, from those that the server lists.
    ///   - stallLimit: How long a gap between fragments may be. A source can stop without an event from the
    ///     server: PipeWire leaves a stream unlinked when its source is removed and there is no other.
    ///   - events: Called in order, never before this initialiser returns.
    ///   - fragments: Called for each fragment; holes in the server's record are delivered as silence.
    /// - Throws: If there is no connection or the request cannot be sent.
    package init(
        on server: AudioServer,
        _ request: StreamRequest,
        choosingFrom devices: AudioDevices? = nil,
        stallLimit: Duration = .milliseconds(500),
        events: @escaping @EventLoop (Event) -> Void,
        fragments: @escaping FragmentHandler
    ) throws(AudioError) {
        var request = request
        if request.device == AudioDevices.wildcard { request.device = nil }
        self.request = request
        self.stallLimit = stallLimit
        self.events = events
        self.fragments = fragments
        connection = try server.connectedForCapture(StreamHandle.action(.capture, request.device))
        if let device = request.device {
            try open(device)
        } else if let devices {
            try open(devices.microphone(preferring: request.preferences).get().name)
        } else {
            querySources { [weak self] in self?.choose($0) }
        }
        let watchdog = TimerSource(priority: .idle) { [weak self] in self?.checkForStall() }
        watchdog.arm(after: Self.startLimit)
        self.watchdog = watchdog
    }

    isolated deinit { close() }

    /// Asks the server for the age of a sample when it arrives here: what the device and the server store.
    ///
    /// - Parameter completion: Called once, with nil if the server does not know; never if the stream ends
    ///   before.
    package func latency(_ completion: @escaping @EventLoop (Duration?) -> Void) {
        handle?.latency(completion)
    }

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

    private func choose(_ devices: AudioDevices) {
        guard case .choosing = phase else { return }
        do throws(AudioError) {
            try open(devices.microphone(preferring: request.preferences).get().name)
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
        guard case .verifying = phase, let handle, let index = handle.deviceIndex,
            let wantedDevice = handle.request.device
        else { return }
        let source: AudioDevice
        do throws(AudioError) {
            source = try devices.captured(index, for: request, openedOn: wantedDevice)
        } catch {
            return fail(error)
        }
        if !handle.followsSoftware, !devices.outputs(of: source).isEmpty {
            // What it records from may have changed before its changes were subscribed to.
            handle.followsSoftware = true
            return querySources { [weak self] in self?.verify($0) }
        }
        phase = .live(since: .now)
        handle.cork(false)
        inputs = CapturedInputs(devices.origins(of: source))
        liveness.awaitsSound = devices.origins(of: source).contains { $0.isHeadsetLoopback && !$0.isMuted }
        let state = state(of: source, in: devices)
        self.source = state
        events?(.opened(state))
    }

    func querySources(_ completion: @escaping @EventLoop (AudioDevices) -> Void) {
        let action = StreamHandle.action(.capture, request.device)
        connection.sources.ask(for: self) { [weak self] in
            switch $0 {
            case .success(let devices): completion(devices)
            case .failure(let error): self?.fail(AudioError(action, reason: error.reason, kind: error.kind))
            }
        }
    }

    // MARK: Events

    private func handle(_ event: StreamHandle.Event) {
        switch event {
        case .opened:
            phase = .verifying
            querySources { [weak self] in self?.verify($0) }
        case .transferable: delivery.trigger()
        case .moved:
            // The stream was opened with DONT_MOVE, and the new device has not been verified.
            let reason = "the audio server moved it to another device"
            fail(AudioError(StreamHandle.action(.capture, request.device), reason: reason, kind: .noDevice))
        case .deviceChanged: querySource()
        case .failed(let error): fail(error)
        case .playing, .underflowed: break  // Playback only.
        }
    }

    private func deliver() {
        guard case .live(let beginning) = phase, let stream = handle?.stream else { return }
        let arrival = MonotonicInstant.now
        if !liveness.awaitsSound || isStarted { latestFragment = arrival }
        // The handler may close this stream.
        while fragments != nil {
            let waiting = pa_stream_readable_size(stream)
            guard waiting > 0, waiting != .max, var bytes = Self.removeFragment(of: stream) else { return }
            let time = arrival + (.zero - request.format.duration(ofBytes: waiting))
            let early = min(bytes.count, request.format.byteCount(of: max(.zero, beginning - time)))
            // Silence only before the first sound: in the midst of a burst of old samples it would be a hole.
            if early == 0 || early == bytes.count || isStarted {
                deliver(bytes[early...], at: max(time, beginning))
            } else {
                // What was captured before the stream was uncorked: without it the first frame would be
                // complete only with the next fragment. At most `latency` of silence is delivered.
                bytes.replaceSubrange(..<early, with: repeatElement(0, count: early))
                let left = early - min(early, request.format.byteCount(of: request.latency))
                deliver(bytes[left...], at: beginning)
            }
        }
    }

    /// Removes the oldest fragment; a hole in the server's record is silence.
    ///
    /// It is a copy, so that nothing of the stream is in use while its handler runs: if that ends the
    /// connection, libpulse waits for ever until memory that it shares with the server is no longer used.
    private static func removeFragment(of stream: OpaquePointer) -> [UInt8]? {
        var data: UnsafeRawPointer?
        var count = 0
        guard pa_stream_peek(stream, &data, &count) >= 0, count > 0 else { return nil }
        let bytes = data.map { [UInt8](UnsafeRawBufferPointer(start: $0, count: count)) }
        // Fails only without data, which has been checked.
        _ = pa_stream_drop(stream)
        return bytes ?? [UInt8](repeating: 0, count: count)
    }

    private func deliver(_ bytes: ArraySlice<UInt8>, at time: MonotonicInstant) {
        guard !bytes.isEmpty else { return }
        switch liveness.received(bytes, request.format) {
        case .live: break
        case .notYet: if !isStarted { return }
        case .asksForVolume:
            querySource()
            if !isStarted { return }
        }
        reportArrival()
        bytes.withUnsafeBytes { fragments?($0, time) }
    }

    private func reportArrival() {
        guard !isStarted else { return }
        isStarted = true
        watchdog?.arm(after: stallLimit)
        events?(.started)
    }

    /// Compares with the latest fragment, because re-arming the timer for each fragment would cost a system
    /// call.
    private func checkForStall() {
        let due = latestFragment + (isStarted ? stallLimit : Self.startLimit)
        if due > .now { watchdog?.arm(at: due) } else { events?(.stalled) }
    }

    func fail(_ error: AudioError) {
        let handler = events
        close()
        handler?(.failed(error))
    }
}
