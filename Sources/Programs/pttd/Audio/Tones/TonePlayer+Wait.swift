import EventLoop

extension TonePlayer {
    /// Earlier than anything that is captured.
    static let always = MonotonicInstant(nanoseconds: .min)
    /// Of a server that does not say.
    static let unknownLatency = Duration.milliseconds(200)
    /// From playing to the server's start. A suspended speaker has to resume.
    static let startLimit = Duration.milliseconds(500)
    /// The time within which the latencies that servers report change once: a period of theirs, which is at
    /// most the latency of the stream.
    static let period = latency + .milliseconds(5)

    /// Until the tone cannot be captured any more.
    struct Wait {
        let began = MonotonicInstant.now
        let microphone: Microphone
        let completion: @EventLoop (MonotonicInstant) -> Void
        /// The tone, once the server has it: another one may be playing before.
        var number: Int?
        /// When the server has played it, by its latency at the beginning, or as it has said.
        var played = MonotonicInstant.now
        /// True if it has said so, or if the tone was taken back: nothing more of it is played.
        var isPlayed = false
        var phase = Phase.starting
    }

    enum Phase {
        /// The server has not reported its latencies.
        case starting
        /// By these latencies the capture is free of the tone from then on.
        case playing(until: MonotonicInstant)
        /// The time of the end has come, or the tone was taken back. The server or this process may have
        /// stood still meanwhile, so that the server has yet to play the rest of the tone, or to deliver what
        /// it has captured of it, which is later now than it was.
        case checking
    }
}
