import CPulse
import EventLoop

/// One `pa_stream`, and the promise that it ends.
///
/// libpulse cannot disconnect a stream that the server has not confirmed yet, and forgetting it would leave it
/// open. So a closed handle stays with its connection until the server has confirmed the end; if that takes longer
/// than ``closeLimit``, the whole connection is dropped, and the server has to end the stream with it.
@EventLoop
final class StreamHandle {
    enum Event {
        case opened
        /// Captured data can be read, or there is room for data to play.
        case transferable
        /// The server began to play, for the first time or after an underflow.
        case playing
        case underflowed
        case moved
        case suspended
        /// Something about the device changed, perhaps its mute state.
        case deviceChanged
        /// Told at most once, and nothing after it.
        case failed(AudioError)
    }

    enum Direction { case capture, playback }

    /// Time from the request to the server's confirmation.
    static let openLimit = Duration.seconds(5)
    /// Time that the server has to confirm the end of a stream.
    static let closeLimit = Duration.seconds(2)

    /// Nil once the stream has ended.
    private(set) var stream: OpaquePointer?
    let connection: Connection
    private let direction: Direction
    private let wantedDevice: String?
    private let action: String
    private var handler: (@EventLoop (Event) -> Void)?
    private var limit: TimerSource?
    private var isClosing = false

    /// - Throws: If the request cannot even be sent; no event is told then.
    ///
    /// A stream for capture stays with the device that it was opened on, and delivers nothing before ``start()``.
    init(
        _ direction: Direction,
        _ request: StreamRequest,
        on connection: Connection,
        handler: @escaping @EventLoop (Event) -> Void
    ) throws(AudioError) {
        self.direction = direction
        wantedDevice = request.device
        action = Self.action(direction, request.device)
        self.connection = connection
        self.handler = handler
        stream = try makeStream(request)
        setCallbacks()
        try connect(request)
        connection.keep(self)
        limit = TimerSource { [weak self] in self?.timedOut() }
        limit?.arm(after: Self.openLimit)
    }

    /// What a stream does, as the end of "could not …".
    static func action(_ direction: Direction, _ device: String?) -> String {
        let device = device.map { "“\($0)”" }
        return switch direction {
        case .capture: "capture from \(device ?? "a microphone")"
        case .playback: "play to \(device ?? "the default device")"
        }
    }

    var isCapturing: Bool { direction == .capture && stream != nil && !isClosing }

    var isOpen: Bool { !isClosing && stream.map(pa_stream_get_state) == PA_STREAM_READY }

    var deviceIndex: UInt32? { isOpen ? pa_stream_get_device_index(stream) : nil }

    var deviceName: String? { isOpen ? text(pa_stream_get_device_name(stream)) : nil }

    var isSuspended: Bool { isOpen && pa_stream_is_suspended(stream) > 0 }

    /// Lets captured data come. That the server refuses shows by data that does not come.
    func start() {
        guard isOpen, let operation = pa_stream_cork(stream, 0, nil, nil) else { return }
        pa_operation_unref(operation)
    }

    /// Disconnects at once, or as soon as libpulse can. No event comes afterwards.
    func close() {
        handler = nil
        guard let stream, !isClosing else { return }
        isClosing = true
        clearCallbacks(stream)
        limit?.arm(after: Self.closeLimit)
        if pa_stream_get_state(stream) == PA_STREAM_READY { disconnect(stream) }
        connection.updateSubscription()
    }

    /// The connection is ending: the stream goes with it.
    func detach() {
        guard let stream else { return }
        self.stream = nil
        limit?.disarm()
        limit = nil
        clearCallbacks(stream)
        pa_stream_set_state_callback(stream, nil, nil)
        pa_stream_unref(stream)
    }

    func tellFailure(_ reason: String, _ kind: AudioError.Kind) {
        let told = handler
        handler = nil
        told?(.failed(AudioError(action, reason: reason, kind: kind)))
    }

    func tellDeviceChange() {
        handler?(.deviceChanged)
    }

    private func makeStream(_ request: StreamRequest) throws(AudioError) -> OpaquePointer {
        var sample = pa_sample_spec(
            format: PA_SAMPLE_S16LE,
            rate: UInt32(request.format.rate),
            channels: UInt8(request.format.channels)
        )
        guard let context = connection.context else {
            throw AudioError(action, reason: "the audio server is gone", kind: .serverLost)
        }
        let properties = request.properties.merging(["media.role": request.role]) { _, role in role }
        let made = withProperties(properties) {
            pa_stream_new_with_proplist(context, request.name, &sample, nil, $0)
        }
        guard let made else { throw AudioError(action, code: pa_context_errno(context)) }
        return made
    }

    private func connect(_ request: StreamRequest) throws(AudioError) {
        let format = request.format
        let portion = UInt32(clamping: max(format.byteCount(of: request.latency), format.bytesPerSampleFrame))
        // Half a second: whoever is further behind than that gets newer sound instead of old.
        let bound = max(portion * 4, UInt32(format.byteCount(of: .milliseconds(500))))
        let unset = UInt32.max
        let result: Int32
        switch direction {
        case .capture:
            var attributes = pa_buffer_attr(
                maxlength: bound,
                tlength: unset,
                prebuf: unset,
                minreq: unset,
                fragsize: portion
            )
            let flags =
                PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_START_CORKED.rawValue
                | PA_STREAM_DONT_MOVE.rawValue
            let options = pa_stream_flags_t(rawValue: flags)
            result = pa_stream_connect_record(stream, request.device, &attributes, options)
        case .playback:
            var attributes = pa_buffer_attr(
                maxlength: bound,
                tlength: portion,
                prebuf: UInt32(format.bytesPerSampleFrame),
                minreq: unset,
                fragsize: unset
            )
            let flags = PA_STREAM_ADJUST_LATENCY
            result = pa_stream_connect_playback(stream, request.device, &attributes, flags, nil, nil)
        }
        guard result >= 0 else {
            let error = AudioError(action, code: pa_context_errno(connection.context))
            handler = nil
            detach()
            throw error
        }
    }

    private func stateChanged() {
        guard let stream else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY where isClosing:
            disconnect(stream)
        case PA_STREAM_READY:
            limit?.disarm()
            opened()
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            let error = AudioError(action, code: pa_context_errno(connection.context))
            finish()
            tellFailure(error.reason, error.kind)
        default:
            // Unconnected and creating: on the way.
            break
        }
    }

    /// pipewire-pulse 0.3.65 takes the default device when the wanted one is not there; whoever asked for a certain
    /// microphone must not get another. Names like `@DEFAULT_SOURCE@` stand for others by intention.
    private func opened() {
        guard let wantedDevice, wantedDevice.utf8.first != UInt8(ascii: "@"), let deviceName,
            deviceName != wantedDevice
        else {
            handler?(.opened)
            return
        }
        let error = AudioError(action, code: Int32(PA_ERR_NOENTITY.rawValue))
        let told = handler
        close()
        told?(.failed(error))
    }

    private func disconnect(_ stream: OpaquePointer) {
        guard pa_stream_disconnect(stream) < 0 else { return }
        connection.end("it refused to end a stream")
    }

    private func timedOut() {
        guard isClosing else {
            let told = handler
            close()
            let reason = "the audio server did not open the stream within \(Self.openLimit)"
            told?(.failed(AudioError(action, reason: reason)))
            return
        }
        connection.end("it did not confirm the end of a stream within \(Self.closeLimit)")
    }

    private func finish() {
        detach()
        connection.forget(self)
    }

    private func setCallbacks() {
        let this = unretained(self)
        pa_stream_set_state_callback(
            stream,
            { _, this in onLoop(this, StreamHandle.self) { $0.stateChanged() } },
            this
        )
        pa_stream_set_read_callback(
            stream,
            { _, _, this in onLoop(this, StreamHandle.self) { $0.handler?(.transferable) } },
            this
        )
        pa_stream_set_write_callback(
            stream,
            { _, _, this in onLoop(this, StreamHandle.self) { $0.handler?(.transferable) } },
            this
        )
        pa_stream_set_started_callback(
            stream,
            { _, this in onLoop(this, StreamHandle.self) { $0.handler?(.playing) } },
            this
        )
        pa_stream_set_underflow_callback(
            stream,
            { _, this in onLoop(this, StreamHandle.self) { $0.handler?(.underflowed) } },
            this
        )
        pa_stream_set_moved_callback(
            stream,
            { _, this in onLoop(this, StreamHandle.self) { $0.handler?(.moved) } },
            this
        )
        pa_stream_set_suspended_callback(
            stream,
            { _, this in onLoop(this, StreamHandle.self) { $0.handler?(.suspended) } },
            this
        )
    }

    /// All but the state callback, which the end of the stream still needs.
    private func clearCallbacks(_ stream: OpaquePointer) {
        pa_stream_set_read_callback(stream, nil, nil)
        pa_stream_set_write_callback(stream, nil, nil)
        pa_stream_set_started_callback(stream, nil, nil)
        pa_stream_set_underflow_callback(stream, nil, nil)
        pa_stream_set_moved_callback(stream, nil, nil)
        pa_stream_set_suspended_callback(stream, nil, nil)
    }
}
