package import PTTMessages

extension TalkSession {
    /// Something that has happened. A request and a push are answered by exactly one ``Effect/reply(_:_:)``, in the same
    /// turn; only ``Request/setParticipant(_:)`` waits for the speaker to open or to fail, or for what makes that idle.
    package enum Event: Equatable, Codable, Sendable {
        case request(RequestID, from: ClientID, Request)
        /// Whoever holds a channel's push token may send pushes to it, and is no client.
        case pushSent(RequestID, PushEnvelope)
        /// The connection has closed, for whatever reason. Tell it once, after everything that the client sent.
        case clientDisconnected(ClientID)
        /// A channel was found that an earlier run of the core had saved. Tell it before anything but the policy.
        ///
        /// - Parameter descriptor: Nil if it was lost.
        case restored(SavedChannel, descriptor: Descriptor?)
        /// ``Effect/startApplication(_:_:_:)`` could not be carried out.
        case applicationStartFailed(StartID, reason: String)
        /// The time set by ``Effect/setTimer(_:)`` has come. One that comes too early or too late does no harm.
        case timerFired
        /// The first buffer of a capture stream has arrived.
        case captureStarted(CaptureID)
        /// A capture stream could not be opened, broke, or stopped delivering.
        case captureFailed(CaptureID, EndCause)
        /// The speaker is open.
        case playbackStarted(PlaybackID)
        /// The speaker could not be opened, or went away.
        ///
        /// - Parameter reason: For people: what failed, on what.
        case playbackFailed(PlaybackID, Interruption, reason: String)
        /// An application has presented its token on the audio socket.
        case audioConnectionReady(ClientID)
        /// The audio socket of an application that is still there has closed: nothing reaches it, or comes from it.
        case audioConnectionLost(ClientID)
        /// The microphone or the speaker in use has changed; nil for the one that has not.
        case routeChanged(input: String?, output: String?)
        case audioServerReady
        case audioServerLost
        case policyChanged(Policy)
        /// Until ``systemResumed`` no transmission can begin: one that began now would still be open on waking.
        case systemSuspending
        /// The machine has woken, or will not suspend after all, or nobody is left who could tell.
        case systemResumed
        /// No application is in the foreground until ``sessionUnlocked``. What else it means says
        /// ``TalkSession/WhileLocked``.
        case sessionLocked
        case sessionUnlocked
        /// Another session is in front of the seat. Nobody transmits until ``sessionActive``.
        case sessionInactive
        case sessionActive
        /// What was last ordered to be saved is on disk.
        case stateSaved
        /// - Parameter reason: For people: what failed, on what. It is tried again.
        case stateNotSaved(reason: String)
        /// The last event; whatever is requested after it is refused.
        case shuttingDown
    }

    /// An order to the shell.
    ///
    /// Those of one event come in the sequence that matters: the closing of the microphone and the speaker first, then
    /// the timer, then what must be on disk before anybody is told of it, then the answer, then what is published or
    /// told, then the start of an application, then the opening of streams, and the delivery of frames last. So a
    /// capture stream is closed before anything else is done about an end, and everybody knows of a beginning before
    /// the audio server, which takes longer than telling them, is asked.
    package enum Effect: Equatable, Sendable {
        /// Answer with ``TalkSession/Event/captureStarted(_:)`` or ``TalkSession/Event/captureFailed(_:_:)``.
        case openCapture(CaptureID, AudioFormat)
        /// Ordered once for each opened one, also after it failed.
        case closeCapture(CaptureID)
        /// Send captured frames there from now on, with the buffer that just arrived as the first.
        case deliverFrames(CaptureID, to: FrameSink)
        /// Send nothing more of this capture, not even what is already queued inside the core.
        case stopFrames(CaptureID)
        /// Play what this application writes from now on.
        ///
        /// Answer with ``TalkSession/Event/playbackStarted(_:)`` or
        /// ``TalkSession/Event/playbackFailed(_:_:reason:)``, in bounded time.
        case openPlayback(PlaybackID, AudioFormat, from: ClientID)
        /// Ordered once for each opened one, also after it failed.
        case closePlayback(PlaybackID)
        /// There is one timer; a new time replaces the one before.
        case setTimer(MonotonicTime)
        case cancelTimer
        /// Put this on disk, in place of what is there, before anything else is done. Nil: no channel is joined.
        case saveChannel(SavedChannel?)
        /// As above, for what people see of the channel.
        case saveDescriptor(Descriptor?)
        case reply(RequestID, Answer)
        /// Tell every subscriber, and every application that is attached.
        case publish(CoreEvent)
        /// Notify this application only. It has no number of its own in the sequence of events.
        case notify(ClientID, CoreEvent)
        case startApplication(StartID, ApplicationID, Activation)
        /// A line for the journal.
        case log(String)
    }
}
