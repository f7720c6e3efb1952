import PTTMessages

extension TalkSession {
    /// What must hold after every event.
    ///
    /// - Returns: A sentence about the first thing that does not, or nil.
    public func checkInvariants() -> String? {
        if freshPress.held.count > FreshPress.limit { return "more origins are remembered than may be" }
        let lease = channel?.lease
        let audio = channel?.audio ?? .inactive
        if (audio.state != .inactive) != (lease != nil) {
            return "audio is \(audio.state), but transmitting is \(lease != nil)"
        }
        if audio.capture?.captureID != lease?.captureID {
            return "a capture is open outside its transmission"
        }
        if timer != lease?.deadline { return "the timer is not set to what is due next" }
        if let lease {
            if !isAudioServerReady { return "transmitting without an audio server" }
            if machine != .awake { return "transmitting while \(machine)" }
            if lease.limit.microseconds - lease.transmission.began > 20 * 60 * 1_000_000 {
                return "the time limit is longer than it may be"
            }
        }
        if case .active(_, let receiver?) = audio, receiver != channel?.receiver?.client {
            return "frames go to a client that is not the application"
        }
        return nil
    }
}
