import CPulse
import EventLoop

/// A change of something that the server has: by the server's index of it, or the name of a card.
package enum DeviceChange: Sendable {
    case load(module: String, argument: String)
    case unload(module: UInt32)
    case muteSink(UInt32, Bool)
    case muteSource(UInt32, Bool)
    /// Mutes a stream that plays, or unmutes it, of whichever program. The server remembers it for the next
    /// stream of that program.
    case muteInput(UInt32, Bool)
    /// How loud such a stream plays, as in ``AudioStream/volumes``. The server remembers it as well.
    case setVolume([UInt32], input: UInt32)
    case moveInput(UInt32, sink: UInt32)
    /// Uses a card with another profile. Its sinks and sources are replaced by those of the profile, some
    /// time later.
    case setProfile(String, card: String)
}

/// A request to change something in the server, with one result.
@EventLoop
final class ChangeRequest: ServerRequest<Void> {
    private let change: DeviceChange

    init(_ action: String, _ change: DeviceChange, completion: @escaping Completion) {
        self.change = change
        super.init(action, completion: completion)
    }

    override func begin() {
        send { send(to: $0, $1) }
    }

    private func send(to context: OpaquePointer, _ this: UnsafeMutableRawPointer) -> OpaquePointer? {
        switch change {
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

    fileprivate func confirmed(_ hasSucceeded: Bool) {
        hasSucceeded ? finish(.success(())) : refused()
    }
}

private let changedCallback: pa_context_success_cb_t = { _, hasSucceeded, change in
    onLoop(change, as: ChangeRequest.self) { $0.confirmed(hasSucceeded != 0) }
}

private let loadedCallback: pa_context_index_cb_t = { _, index, change in
    onLoop(change, as: ChangeRequest.self) { $0.confirmed(index != .max) }
}
