import PTTCore
import PTTMessages

/// The world outside of a session, as the session's effects describe it. It knows none of the session's
/// rules, only what must never be observed from outside.
struct Observer {
    /// Why every microphone must be closed.
    enum MicrophoneBlock: Hashable {
        case suspended
        case sessionInactive
        case locked
        case shuttingDown
    }

    var openCapture: CaptureID?
    var openPlayback: PlaybackID?
    var isPlaybackStarted = false
    /// The client whose recording is the transmission.
    private(set) var recorder: ClientID?
    /// The client whose begin is answered in this step.
    private var nextRecorder: ClientID?
    /// True if ``recorder``, or its audio socket, is gone.
    private(set) var isRecorderGone = false
    /// The client that receives captured frames.
    var receiver: ClientID?
    var isVirtualMicrophoneFed = false
    /// Requests that have not been answered.
    private(set) var unanswered: [RequestID] = []
    private(set) var timer: MonotonicTime?
    var status: Status
    private(set) var saved: SavedChannel?
    private(set) var descriptor: Descriptor?
    private var savedVolume = 100
    /// The clients that the session has accepted as applications.
    private(set) var attached: Set<ClientID> = []
    /// The application of the channel.
    private(set) var application: ClientID?
    /// The clients whose audio sockets were lost.
    private(set) var withoutAudio: Set<ClientID> = []
    private(set) var blocks: Set<MicrophoneBlock> = []
    /// Accepted and not finished pushes.
    private(set) var pushes: Set<PushID> = []
    private(set) var interruption: Interruption?
    /// True if a participant stays unheard until the application sets one again.
    var isUnheard = false
    /// A stream that captures the talk permit tone, and until when at most.
    var gate: (capture: CaptureID, limit: MonotonicTime)?
    private var now = MonotonicTime(nanoseconds: 0)
    var isSpeakerLost = false

    private(set) var emergencyDuringCalls = false

    init(_ session: TalkSession, isSessionKnown: Bool = true) {
        if !isSessionKnown {
            blocks.insert(.sessionInactive)
            if session.surroundings.whileLocked == .refuse { blocks.insert(.locked) }
        }
        emergencyDuringCalls = session.surroundings.emergencyDuringCalls
        status = session.status
    }

    /// Runs one event.
    ///
    /// - Returns: Its effects, and a sentence about the first violation, if there is one.
    mutating func run(
        _ event: TalkSession.Event,
        at now: MonotonicTime,
        in session: inout TalkSession
    ) -> (effects: [TalkSession.Effect], violation: String?) {
        self.now = now
        note(event, whileLocked: session.surroundings.whileLocked)
        return apply(session.handle(event, at: now), of: event, in: session)
    }

    private mutating func note(_ event: TalkSession.Event, whileLocked: TalkSession.WhileLocked) {
        switch event {
        case .timerFired:
            timer = nil
            if let limit = gate?.limit, now >= limit { gate = nil }
        case .gateOpened(gate?.capture): gate = nil
        case .playbackFailed(openPlayback, _, reason: _): isSpeakerLost = true
        case .playbackStarted(openPlayback): isPlaybackStarted = true
        case .audioConnectionLost(let client):
            if client == recorder { isRecorderGone = true }
            if client == application || attached.contains(client) { withoutAudio.insert(client) }
        case .audioConnectionReady(let client): withoutAudio.remove(client)
        case .volumeRestored(let volume): savedVolume = volume
        case .restored(let channel, let descriptor):
            if status.channel == nil, !blocks.contains(.shuttingDown) {
                (saved, self.descriptor) = (channel, descriptor)
            }
        case .clientDisconnected(let client):
            attached.remove(client)
            withoutAudio.remove(client)
            if application == client { application = nil }
            if recorder == client { isRecorderGone = true }
        case .systemSuspending: blocks.insert(.suspended)
        case .systemResumed: blocks.remove(.suspended)
        case .sessionInactive: blocks.insert(.sessionInactive)
        case .sessionActive: blocks.remove(.sessionInactive)
        case .sessionLocked: if whileLocked == .refuse { blocks.insert(.locked) }
        case .sessionUnlocked: blocks.remove(.locked)
        case .shuttingDown: blocks.insert(.shuttingDown)
        // Answers and effects show these, or they prevent nothing for which the observer has a rule.
        case .request, .pushSent, .applicationStartFailed, .captureStarted, .captureFailed, .playbackStarted,
            .playbackFailed, .speakerReturned, .routeChanged, .gateOpened, .microphoneChanged,
            .virtualMicrophoneChanged, .callChanged, .recordersChanged, .audioServerReady, .audioServerLost,
            .policyChanged, .slept, .stateSaved, .stateNotSaved:
            break
        }
    }

    private mutating func apply(
        _ effects: [TalkSession.Effect],
        of event: TalkSession.Event,
        in session: TalkSession
    ) -> (effects: [TalkSession.Effect], violation: String?) {
        var stage = 0
        if let request = event.request { unanswered.append(request) }
        for effect in effects {
            guard effect.stage >= stage else { return (effects, "\(effect) comes too late") }
            stage = effect.stage
            if case .reply(let id, let answer) = effect {
                guard let index = unanswered.firstIndex(of: id) else {
                    return (effects, "\(id) is answered and does not wait")
                }
                unanswered.remove(at: index)
                note(answer, to: event)
            } else if let violation = observe(effect) {
                return (effects, violation)
            }
        }
        if status.call != nil, status.channel?.participant != nil { isUnheard = true }
        if !unanswered.isEmpty, openPlayback == nil || isPlaybackStarted {
            return (effects, "\(event) leaves a request without an answer")
        }
        return (effects, check(session))
    }

    private mutating func note(_ answer: TalkSession.Answer, to event: TalkSession.Event) {
        switch (answer, event) {
        case (
            .attached(_, _, let restored, left: _, isForeground: _),
            .request(_, from: let client, .attach)
        ):
            attached.insert(client)
            if restored != nil { application = client }
        case (
            .joined(_, _, _, isApplication: true), .request(_, from: let client, .join)
        ):
            application = client
        case (.accepted(let pushID), _):
            pushes.insert(pushID)
        case (.began(_, let isRecording), .request(_, from: let client, _)):
            nextRecorder = isRecording ? client : nil
        default:
            break
        }
    }

    private mutating func observe(_ effect: TalkSession.Effect) -> String? {
        switch effect {
        case .openCapture, .closeCapture, .deliverFrames, .stopFrames, .openPlayback, .closePlayback:
            return observeStream(effect)
        case .setTimer(let time):
            timer = time
        case .cancelTimer:
            if timer == nil { return "a timer is cancelled that is not set" }
            timer = nil
        case .saveChannel(let channel):
            if channel == saved { return "the channel is saved again as it was" }
            saved = channel
        case .saveDescriptor(let descriptor):
            if descriptor == self.descriptor { return "the descriptor is saved again as it was" }
            self.descriptor = descriptor
        case .publish(let event): return receive(event)
        case .notify(let client, let event): return receive(event, as: client)
        case .startApplication(_, let application, _):
            if status.channel?.owner != application || status.channel?.isApplicationStarting != true {
                return "an application is started that no channel waits for"
            }
            if status.channel?.application != nil { return "an application is started that is running" }
        case .playTalkPermit(let capture):
            if openCapture != capture || recorder == nil && status.audio != .active {
                return "a closed microphone is announced"
            }
            if gate != nil { return "a microphone is announced twice" }
            gate = (capture, now + .seconds(2))
        case .playTone(let tone):
            if openCapture != nil, ![.timeLimitNear, .latched].contains(tone) {
                return "the microphone captures the tone \(tone)"
            }
            if tone == .latched, openCapture == nil || gate != nil || status.transmission?.latched == nil {
                return "a microphone is announced as latched that is not"
            }
        case .saveVolume(let volume):
            if volume == savedVolume { return "the volume is saved again as it was" }
            savedVolume = volume
        case .reply, .log, .setVolume: break
        }
        return nil
    }

    private mutating func receive(_ event: CoreEvent) -> String? {
        if let violation = contradiction(event) { return violation }
        switch event {
        case .transmissionBegan(let transmission):
            recorder = transmission.recording == nil ? nil : nextRecorder
            isRecorderGone = false
        case .transmissionEnded: recorder = nil
        case .audioActivating: interruption = nil
        // Unless the speaker opens in the same step.
        case .audioInterruptionEnded: (interruption, isUnheard) = (nil, status.channel?.participant != nil)
        case .audioInterrupted(let cause): interruption = cause
        case .channelJoined: if status.channel == nil { interruption = nil }
        case .channelLeft: (application, interruption) = (nil, nil)
        case .participantChanged(nil):
            // There is no reception left to interrupt.
            (isSpeakerLost, isUnheard) = (false, false)
            if interruption != .call { interruption = nil }
        case .pushFinished(let pushID, _, _):
            if pushes.remove(pushID) == nil { return "\(pushID) is finished that was not accepted" }
        default: break
        }
        status.apply(event)
        return nil
    }

    private mutating func receive(_ event: CoreEvent, as client: ClientID) -> String? {
        if case .channelRestored = event {
            if !attached.contains(client) { return "\(client) receives a channel and is not attached" }
            application = client
        }
        guard client == application else { return "the wrong application is notified of \(event)" }
        if case .pushReceived(let push) = event, !pushes.contains(push.pushID) {
            return "the application is notified of a push that is over"
        }
        return nil
    }
}
