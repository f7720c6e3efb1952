package import PTTMessages

extension TalkSession {
    /// Something that has happened. A request and a push are answered by exactly one ``Effect/reply(_:_:)``,
    /// in the same turn; only ``Request/setParticipant(_:)`` is answered later, once the speaker has opened
    /// or failed, or its opening no longer matters.
    package enum Event: Equatable, Codable, Sendable {
        case request(RequestID, from: ClientID, Request)
        /// A push comes from the holder of a push token, which need not be a client of the machine.
        case pushSent(RequestID, PushEnvelope)
        /// The connection has closed, for whatever reason. Post it once, after all requests of the client.
        case clientDisconnected(ClientID)
        /// A channel was found that an earlier run of the core had saved. Post it before anything but the
        /// policy, or once it can be read: it has no effect on a joined channel, nor after
        /// ``shuttingDown``.
        ///
        /// - Parameter descriptor: Nil if it was lost.
        case restored(SavedChannel, descriptor: Descriptor?)
        /// A volume was found that an earlier run of the core had saved.
        case volumeRestored(Int)
        /// ``Effect/startApplication(_:_:by:)`` failed.
        case applicationStartFailed(StartID, reason: String)
        /// The time set by ``Effect/setTimer(_:)`` has come. Posting it too early or too late does no harm.
        case timerFired
        /// The first buffer of a capture stream has arrived.
        case captureStarted(CaptureID)
        /// A capture stream could not be opened, broke, or stopped delivering.
        case captureFailed(CaptureID, EndCause)
        /// The speaker is open.
        case playbackStarted(PlaybackID)
        /// The speaker could not be opened, or was lost.
        ///
        /// - Parameter reason: For people: what failed, on which device.
        case playbackFailed(PlaybackID, Interruption, reason: String)
        /// There is a speaker again after there was none.
        case speakerReturned
        /// An application has presented its token on the audio socket.
        case audioConnectionReady(ClientID)
        /// The audio socket of an application that is still connected has closed: no audio reaches it or
        /// comes from it.
        case audioConnectionLost(ClientID)
        /// The microphone or the speaker in use has changed; nil for the device that has not.
        case routeChanged(input: String?, output: String?)
        /// The tone of ``Effect/playTalkPermit(_:)`` is no longer in what the microphone captures.
        case gateOpened(CaptureID)
        /// The microphone of a transmission is open, or its state in the audio server has changed.
        case microphoneChanged(MicrophoneState)
        case virtualMicrophoneChanged(VirtualMicrophone)
        /// A call began, another took its place or, with nil, there is none any more.
        case callChanged(ActiveCall?)
        /// The names of the other applications that record from a real microphone.
        case recordersChanged([String])
        case audioServerReady
        case audioServerLost
        case policyChanged(Policy)
        /// Until ``systemResumed`` no transmission can begin: it would still be open on resume.
        case systemSuspending
        /// The machine has slept for so long, which the time of events does not count. Post it before
        /// ``systemResumed``.
        case slept(seconds: Int)
        /// The system has resumed, or will not suspend after all, or logind can no longer report it.
        case systemResumed
        /// No application is in the foreground until ``sessionUnlocked``. ``TalkSession/WhileLocked`` says
        /// what else it means.
        case sessionLocked
        case sessionUnlocked
        /// Another session is active at the seat. No transmission can begin until ``sessionActive``.
        case sessionInactive
        case sessionActive
        /// The state that was last ordered to be saved is on disk.
        case stateSaved
        /// The save will be retried.
        ///
        /// - Parameter reason: For people: what failed, on which file.
        case stateNotSaved(reason: String)
        /// The last event; all later requests but those to leave are refused.
        case shuttingDown
    }

    /// An order to the shell.
    ///
    /// The effects of one event come in the order that matters: the microphone and the speaker are closed
    /// first; then the timer; then what must be on disk before any client learns of it; then the reply; then
    /// what is published, notified and logged; then the start of an application; then streams are opened and
    /// frames delivered; tones are last. So a capture stream is closed before anything else is done about an
    /// end, and all clients know of a beginning before the audio server, which takes longer than they do, is
    /// asked to open a stream.
    package enum Effect: Equatable, Sendable {
        /// Answer with ``TalkSession/Event/captureStarted(_:)`` or ``TalkSession/Event/captureFailed(_:_:)``.
        case openCapture(CaptureID, AudioFormat)
        /// Ordered once for each opened capture, also after it failed.
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
        /// Ordered once for each opened playback, also after it failed.
        case closePlayback(PlaybackID)
        /// There is one timer; a new time replaces the one before.
        case setTimer(MonotonicTime)
        case cancelTimer
        /// Replace what is on disk before anything else is done. Nil: no channel is joined.
        case saveChannel(SavedChannel?)
        /// Replace what is on disk of what people see of the channel, before anything else is done. Nil:
        /// there is none.
        case saveDescriptor(Descriptor?)
        case saveVolume(Int)
        case reply(RequestID, Answer)
        /// Notify every subscriber, and every application that is attached.
        case publish(CoreEvent)
        /// Notify this application only. The event has no number of its own in the sequence of events.
        case notify(ClientID, CoreEvent)
        case startApplication(StartID, ApplicationID, by: Activation)
        /// The volume at which the other end is heard from now on, in percent.
        case setVolume(Int)
        case playTone(Tone)
        /// Play ``Tone/talkPermit``, and answer with ``TalkSession/Event/gateOpened(_:)`` once what this
        /// stream captures no longer has the tone in it: at once where no tone is played or no microphone
        /// could capture it, and within two seconds in every case. No frames are delivered before that.
        case playTalkPermit(CaptureID)
        /// A line for the journal.
        case log(String)
    }
}
