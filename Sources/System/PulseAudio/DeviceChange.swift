import CPulse
import EventLoop

/// A request to change something in the server, with one result.
@EventLoop
final class DeviceChange: ConnectionRequest {
    enum Change: Sendable {
        case load(module: String, argument: String)
        case unload(module: UInt32)
        case muteSink(UInt32, Bool)
        case muteSource(UInt32, Bool)
        case muteInput(UInt32, Bool)
        /// A volume for each channel.
        case setVolume([UInt32], input: UInt32)
        case moveInput(UInt32, sink: UInt32)
        case setProfile(String, card: String)
    }

    /// Time for the server to confirm it.
    private static let timeout = Duration.seconds(2)

    private let action: String
    private let change: Change
    private var completion: (@EventLoop (Result<Void, AudioError>) -> Void)?
    private var operation: OpaquePointer?
    private var limit: TimerSource?
    private var ended: (@EventLoop (any ConnectionRequest) -> Void)?

    /// `action` completes "could not …"; `completion` is called exactly once.
    init(
        _ action: String,
        _ change: Change,
        completion: @escaping @EventLoop (Result<Void, AudioError>) -> Void
    ) {
        self.action = action
        self.change = change
        self.completion = completion
    }

    func start(
        on context: OpaquePointer,
        _ own: OwnMarks,
        ended: @escaping @EventLoop (any ConnectionRequest) -> Void
    ) {
        self.ended = ended
        limit = TimerSource { [weak self] in
            self?.fail("the audio server did not answer within \(Self.timeout)", .other)
        }
        limit?.arm(after: Self.timeout)
        operation = send(to: context)
        if operation == nil { finish(.failure(AudioError(action, code: pa_context_errno(context)))) }
    }

    func detach() {
        limit?.disarm()
        limit = nil
        guard let operation else { return }
        self.operation = nil
        pa_operation_cancel(operation)
        pa_operation_unref(operation)
    }

    func fail(_ reason: String, _ kind: AudioError.Kind) {
        finish(.failure(AudioError(action, reason: reason, kind: kind)))
    }

    private func send(to context: OpaquePointer) -> OpaquePointer? {
        let this = unretained(self)
        return switch change {
        case .load(let module, let argument):
            pa_context_load_module(context, module, argument, loadedCallback, this)
        case .unload(let module): pa_context_unload_module(context, module, changedCallback, this)
        case .muteSink(let sink, let isMuted):
            pa_context_set_sink_mute_by_index(context, sink, isMuted ? 1 : 0, changedCallback, this)
        case .muteSource(let source, let isMuted):
            pa_context_set_source_mute_by_index(context, source, isMuted ? 1 : 0, changedCallback, this)
        case .muteInput(let input, let isMuted):
            pa_context_set_sink_input_mute(context, input, isMuted ? 1 : 0, changedCallback, this)
        case .setVolume(let channels, let input): setVolume(channels, input, context, this)
        case .moveInput(let input, let sink):
            pa_context_move_sink_input_by_index(context, input, sink, changedCallback, this)
        case .setProfile(let profile, let card):
            pa_context_set_card_profile_by_name(context, card, profile, changedCallback, this)
        }
    }

    private func setVolume(
        _ channels: [UInt32],
        _ input: UInt32,
        _ context: OpaquePointer,
        _ this: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        var volume = pa_cvolume()
        withUnsafeMutableBytes(of: &volume.values) { bytes in
            let values = bytes.bindMemory(to: pa_volume_t.self)
            let count = min(channels.count, values.count)
            for channel in 0..<count { values[channel] = channels[channel] }
            volume.channels = UInt8(count)
        }
        return pa_context_set_sink_input_volume(context, input, &volume, changedCallback, this)
    }

    /// `code` is libpulse's, if it failed.
    fileprivate func confirmed(_ hasSucceeded: Bool, _ code: Int32) {
        finish(hasSucceeded ? .success(()) : .failure(AudioError(action, code: code)))
    }

    private func finish(_ result: Result<Void, AudioError>) {
        let (handler, observer) = (completion, ended)
        (completion, ended) = (nil, nil)
        detach()
        observer?(self)
        handler?(result)
    }
}

private let changedCallback: pa_context_success_cb_t = { context, hasSucceeded, change in
    let code = context.map(pa_context_errno) ?? 0
    onLoop(change, as: DeviceChange.self) { $0.confirmed(hasSucceeded != 0, code) }
}

private let loadedCallback: pa_context_index_cb_t = { context, index, change in
    let code = context.map(pa_context_errno) ?? 0
    onLoop(change, as: DeviceChange.self) { $0.confirmed(index != .max, code) }
}
