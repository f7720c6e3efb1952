public import PTTMessages

extension TalkSession {
    /// Something that has happened. Each `…Requested` is answered in the same turn, by exactly one ``Effect/reply(_:_:)``.
    public enum Event: Equatable, Sendable {
        /// - Parameters:
        ///   - processID: The caller's, for display.
        ///   - fresh: A new identifier, for a request that names none.
        case joinRequested(
            RequestID,
            ClientID,
            processID: Int,
            CoreInterface.JoinRequest,
            fresh: ChannelID
        )
        case leaveRequested(RequestID, ClientID, ChannelID?)
        case descriptorRequested(RequestID, ClientID, CoreInterface.DescriptorRequest)
        case beginRequested(RequestID, ClientID, CoreInterface.BeginRequest)
        case endRequested(RequestID, ClientID, CoreInterface.EndRequest)
        /// The connection has closed, for whatever reason. Tell it once, after everything that the client sent.
        case clientDisconnected(ClientID)
        /// The time set by ``Effect/setTimer(_:)`` has come. One that comes too early or too late does no harm.
        case timerFired
        /// The first buffer of a capture stream has arrived.
        case captureStarted(CaptureID)
        /// A capture stream could not be opened, broke, or stopped delivering.
        case captureFailed(CaptureID, EndCause)
        case audioServerReady
        case audioServerLost
        /// Until ``systemResumed`` no transmission can begin: one that began now would still be open on waking.
        case systemSuspending
        /// The machine has woken, or will not suspend after all, or nobody is left who could tell.
        case systemResumed
        case sessionLocked
        /// The last event; whatever is requested after it is refused.
        case shuttingDown
    }

    /// An order to the shell.
    ///
    /// Those of one event come in the sequence that matters: the closing of the microphone first, then the timer, then
    /// the answer, then what is published, then the opening of the microphone, and the delivery of frames last. So a
    /// capture stream is closed before anything else is done about an end, and everybody knows of a beginning before
    /// the audio server, which takes longer than telling them, is asked.
    public enum Effect: Equatable, Sendable {
        /// Answer with ``TalkSession/Event/captureStarted(_:)`` or ``TalkSession/Event/captureFailed(_:_:)``.
        case openCapture(CaptureID, AudioFormat)
        /// Ordered once for each opened one, also after it failed.
        case closeCapture(CaptureID)
        /// Send captured frames to this application from now on, with the buffer that just arrived as the first.
        case deliverFrames(CaptureID, to: ClientID)
        /// Send nothing more to the application, not even what is already queued inside the core.
        case stopFrames(CaptureID)
        /// There is one timer; a new time replaces the one before.
        case setTimer(MonotonicTime)
        case cancelTimer
        case reply(RequestID, Answer)
        case publish(CoreEvent)
    }

    public enum Answer: Equatable, Sendable {
        /// - Parameter isApplication: Whether the client is the channel's application and needs a token for frames.
        case joined(ChannelID, AudioFormat, isApplication: Bool)
        case done
        case began(TransmissionID)
        case refused(Refusal)
    }
}
