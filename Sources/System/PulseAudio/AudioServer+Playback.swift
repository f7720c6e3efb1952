import EventLoop

extension AudioServer {
    /// Changes how loud a stream plays, of whichever program. The server remembers it for the next stream of
    /// that program.
    ///
    /// - Parameters:
    ///   - volumes: As in ``AudioStream/volumes``.
    ///   - input: The server's index of the stream.
    ///   - completion: Called exactly once, possibly during this call.
    package func setVolumes(
        _ volumes: [UInt32],
        ofInput input: UInt32,
        completion: @escaping @EventLoop (Result<Void, AudioError>) -> Void
    ) {
        change("change the volume of a stream", .setVolume(volumes, input: input), completion: completion)
    }

    /// Mutes a stream that plays, or unmutes it, of whichever program. The server remembers it as well.
    ///
    /// - Parameters:
    ///   - isMuted: False to unmute it.
    ///   - input: The server's index of the stream.
    ///   - completion: Called exactly once, possibly during this call.
    package func setMuted(
        _ isMuted: Bool,
        ofInput input: UInt32,
        completion: @escaping @EventLoop (Result<Void, AudioError>) -> Void
    ) {
        change("mute or unmute a stream", .muteInput(input, isMuted), completion: completion)
    }
}
