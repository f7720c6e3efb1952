import CPulse
import EventLoop

/// One `pa_stream`, which is guaranteed to end.
///
/// libpulse cannot disconnect a stream that the server has not confirmed yet, and abandoning it would leave
/// it open. Therefore the connection keeps a closed handle until the server has confirmed its end; if that
/// takes longer than ``closeLimit``, the whole connection is closed, with which the server ends the stream.
@EventLoop
final class StreamHandle {
    enum Event {
        case opened
        /// Captured data can be read, or data to play can be written.
        case transferable
        /// The server started to play, for the first time or after an underflow.
        case playing
        case underflowed
        case moved
        /// The device changed, for example its mute state.
        case deviceChanged
        /// Reported at most once, as the last event.
        case failed(AudioError)
    }

    enum Direction { case capture, playback }

    /// Time from the request to the server's confirmation.
    static let openLimit = Duration.seconds(5)
    /// Time for the server to confirm the end of a stream.
    static let closeLimit = Duration.seconds(2)

    /// Nil once the stream has ended.
    private(set) var stream: OpaquePointer?
    let connection: Connection
    let direction: Direction
    let request: StreamRequest
    fileprivate var handler: (@EventLoop (Event) -> Void)?
    private lazy var limit = TimerSource { [weak self] in self?.timedOut() }
    private(set) var isClosing = false
    /// True if changes of all sources and of the streams that record are reported, because software delivers
    /// what is captured. Otherwise only those of the source.
    var followsSoftware = false {
        didSet { connection.updateSubscription() }
    }
    /// The operations that the server has not confirmed.
    var operations: [StreamOperation] = []

    /// Requests the stream. A capture stream is never moved to another device, and delivers nothing before
    /// ``start()``.
    ///
    /// - Throws: If the request cannot be sent; no event is reported then.
    init(
        _ direction: Direction,
        _ request: StreamRequest,
        on connection: Connection,
        handler: @escaping @EventLoop (Event) -> Void
    ) throws(AudioError) {
        self.direction = direction
        self.request = request
        self.connection = connection
        self.handler = handler
        stream = try makeStream()
        setCallbacks()
        try connect()
        connection.keep(self)
        limit.arm(after: Self.openLimit)
    }

    /// Describes what a stream does; completes "could not …".
    nonisolated static func action(_ direction: Direction, _ device: String?) -> String {
        let device = device.map { "“\($0)”" }
        return switch direction {
        case .capture: "capture from \(device ?? "a microphone")"
        case .playback: "play to \(device ?? "the default device")"
        }
    }

    private var action: String { Self.action(direction, request.device) }

    /// The kinds of things whose changes it needs to hear. Each change is a wake-up.
    var observedKinds: Set<DeviceKind> {
        guard direction == .capture || request.staysOnDevice, stream != nil, !isClosing else { return [] }
        return followsSoftware ? [deviceKind, .sourceOutput] : [deviceKind]
    }

    var isOpen: Bool { !isClosing && stream.map(pa_stream_get_state) == PA_STREAM_READY }

    var kind: DeviceKind { direction == .capture ? .sourceOutput : .sinkInput }

    private var deviceKind: DeviceKind { direction == .capture ? .source : .sink }

    /// The server's index of the stream.
    var index: UInt32? {
        stream.map(pa_stream_get_state) == PA_STREAM_READY ? pa_stream_get_index(stream) : nil
    }

    var deviceIndex: UInt32? { isOpen ? pa_stream_get_device_index(stream) : nil }

    var deviceName: String? { isOpen ? text(pa_stream_get_device_name(stream)) : nil }

    /// Disconnects immediately, or as soon as libpulse can. No event is reported afterwards.
    func close() {
        handler = nil
        guard let stream, !isClosing else { return }
        isClosing = true
        limit.arm(after: Self.closeLimit)
        if pa_stream_get_state(stream) == PA_STREAM_READY { disconnect(stream) }
        connection.updateSubscription()
    }

    /// Releases the stream, because it or the connection is ending: libpulse then forgets its callbacks and
    /// operations.
    func detach() {
        guard let stream else { return }
        self.stream = nil
        operations = []
        limit.disarm()
        pa_stream_set_state_callback(stream, nil, nil)
        pa_stream_unref(stream)
    }

    func reportFailure(_ reason: String, _ kind: AudioError.Kind) {
        let handler = handler
        self.handler = nil
        handler?(.failed(AudioError(action, reason: reason, kind: kind)))
    }

    /// Reports a change of what it captures from, and fails with the device on which it stays.
    ///
    /// PulseAudio and PipeWire 0.3 end such a stream themselves; PipeWire 1.4 with WirePlumber 0.5 leaves it
    /// without a device, for good.
    func report(_ event: SoundDeviceEvent) {
        guard observedKinds.contains(event.kind) else { return }
        let isDevice = event.kind == deviceKind && event.index == deviceIndex
        if isDevice, event.type == .remove {
            fail(AudioError(action, code: Int32(PA_ERR_KILLED.rawValue)))
        } else if direction == .capture, isDevice || followsSoftware {
            handler?(.deviceChanged)
        }
    }

    private func makeStream() throws(AudioError) -> OpaquePointer {
        var sample = pa_sample_spec(
            format: PA_SAMPLE_S16LE,
            rate: UInt32(request.format.rate),
            channels: UInt8(request.format.channels)
        )
        guard let context = connection.context else {
            throw AudioError(action, reason: "the audio server is gone", kind: .serverLost)
        }
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        // Properties only inform other programs; a stream works without them.
        for (key, value) in request.properties { _ = pa_proplist_sets(properties, key, value) }
        if let role = request.role { _ = pa_proplist_sets(properties, "media.role", role) }
        let made = pa_stream_new_with_proplist(context, request.name, &sample, nil, properties)
        guard let made else { throw AudioError(action, code: pa_context_errno(context)) }
        return made
    }

    private func connect() throws(AudioError) {
        var attributes = request.bufferAttributes(direction)
        let flags = request.flags(direction)
        let result =
            switch direction {
            case .capture: pa_stream_connect_record(stream, request.device, &attributes, flags)
            case .playback: pa_stream_connect_playback(stream, request.device, &attributes, flags, nil, nil)
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
            limit.disarm()
            opened()
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
            let error = AudioError(action, code: pa_context_errno(connection.context))
            finish()
            reportFailure(error.reason, error.kind)
        default:
            // Unconnected or creating: not open yet.
            break
        }
    }

    /// pipewire-pulse 0.3.65 uses the default device if the requested one does not exist. Names like
    /// `@DEFAULT_SINK@` refer to other devices on purpose. Which source may be captured in place of another,
    /// ``CaptureStream`` decides.
    private func opened() {
        guard direction == .playback, let wanted = request.device, wanted.utf8.first != UInt8(ascii: "@"),
            let deviceName, deviceName != wanted
        else {
            handler?(.opened)
            return
        }
        fail(AudioError(action, code: Int32(PA_ERR_NOENTITY.rawValue)))
    }

    private func fail(_ error: AudioError) {
        let handler = handler
        close()
        handler?(.failed(error))
    }

    private func disconnect(_ stream: OpaquePointer) {
        guard pa_stream_disconnect(stream) < 0 else { return }
        connection.end("it refused to end a stream")
    }

    private func timedOut() {
        guard isClosing else {
            let reason = "the audio server did not open the stream within \(Self.openLimit)"
            return fail(AudioError(action, reason: reason))
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
            { _, this in onLoop(this, as: StreamHandle.self) { $0.stateChanged() } },
            this
        )
        pa_stream_set_read_callback(stream, { deliver(.transferable, to: $2) }, this)
        pa_stream_set_write_callback(stream, { deliver(.transferable, to: $2) }, this)
        pa_stream_set_started_callback(stream, { deliver(.playing, to: $1) }, this)
        pa_stream_set_underflow_callback(stream, { deliver(.underflowed, to: $1) }, this)
        pa_stream_set_moved_callback(stream, { deliver(.moved, to: $1) }, this)
    }
}

private func deliver(_ event: StreamHandle.Event, to handle: UnsafeMutableRawPointer?) {
    onLoop(handle, as: StreamHandle.self) { $0.handler?(event) }
}
