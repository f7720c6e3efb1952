import PTTCore
import PTTMessages

/// The world outside of a session, as far as the session's orders tell of it. It knows none of the rules by which the
/// session decides, only what must never be seen from outside.
struct Observer {
    private(set) var openCapture: CaptureID?
    private(set) var openPlayback: PlaybackID?
    private(set) var isPlaybackStarted = false
    /// Requests that are not answered.
    private(set) var owed: [RequestID] = []
    private(set) var receiver: ClientID?
    private(set) var timer: MonotonicTime?
    private(set) var status: Status
    private(set) var saved: SavedChannel?
    private(set) var descriptor: Descriptor?
    /// Whom the session has taken as applications.
    private(set) var attached: [ClientID: ApplicationID] = [:]
    /// That of the channel.
    private(set) var application: ClientID?
    /// Accepted and not finished.
    private(set) var pushes: Set<PushID> = []
    private(set) var isInterrupted = false
    private(set) var isSpeakerLost = false
    private(set) var isAudioLost = false
    private(set) var isOver = false

    init(_ session: TalkSession) {
        status = session.status
    }

    /// Runs one event and gives its effects; nil and a sentence if something is wrong.
    mutating func run(
        _ event: TalkSession.Event,
        at now: MonotonicTime,
        in session: inout TalkSession
    ) -> (effects: [TalkSession.Effect], violation: String?) {
        switch event {
        case .timerFired: timer = nil
        case .shuttingDown: isOver = true
        case .playbackFailed(openPlayback, _, reason: _): isSpeakerLost = true
        case .playbackStarted(openPlayback): isPlaybackStarted = true
        case .audioConnectionLost(application): isAudioLost = true
        case .audioConnectionReady(application): isAudioLost = false
        case .restored(let channel, let descriptor): (saved, self.descriptor) = (channel, descriptor)
        case .clientDisconnected(let client):
            attached[client] = nil
            if application == client {
                // The newest of its other attachments takes its place.
                let owner = status.channel?.owner
                application = attached.filter { $0.value == owner }.keys.max { $0.rawValue < $1.rawValue }
                isAudioLost = false
            }
        default: break
        }
        return follow(session.handle(event, at: now), event, session)
    }

    private mutating func follow(
        _ effects: [TalkSession.Effect],
        _ event: TalkSession.Event,
        _ session: TalkSession
    ) -> (effects: [TalkSession.Effect], violation: String?) {
        var stage = 0
        if let request = event.request { owed.append(request) }
        for effect in effects {
            guard effect.stage >= stage else { return (effects, "\(effect) comes too late") }
            stage = effect.stage
            if case .reply(let id, let answer) = effect {
                guard let index = owed.firstIndex(of: id) else {
                    return (effects, "\(id) is answered and does not wait")
                }
                owed.remove(at: index)
                take(answer, event)
            } else if let violation = see(effect) {
                return (effects, violation)
            }
        }
        if !owed.isEmpty, openPlayback == nil || isPlaybackStarted {
            return (effects, "\(event) leaves a request without an answer")
        }
        return (effects, check(session))
    }

    private mutating func take(_ answer: TalkSession.Answer, _ event: TalkSession.Event) {
        switch (answer, event) {
        case (.attached, .attachRequested(_, let client, processID: _, let request, fresh: _)):
            attached[client] = request.identifier
            if status.channel?.owner == request.identifier, status.channel?.application == nil {
                application = client
            }
        case (
            .joined(_, _, _, isApplication: true), .joinRequested(_, let client, processID: _, _, fresh: _, _)
        ):
            application = client
        case (.accepted(let pushID), _):
            pushes.insert(pushID)
        default:
            break
        }
    }

    private mutating func see(_ effect: TalkSession.Effect) -> String? {
        switch effect {
        case .openCapture, .closeCapture, .deliverFrames, .stopFrames, .openPlayback, .closePlayback:
            return seeStream(effect)
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
        case .publish(let event): return hear(event)
        case .tell(let client, let event): return hear(event, as: client)
        case .startApplication(_, let application, _):
            if status.channel?.owner != application || status.channel?.isApplicationStarting != true {
                return "an application is started that nobody waits for"
            }
            if status.channel?.application != nil { return "an application is started that is there" }
        case .reply, .remark: break
        }
        return nil
    }

    private mutating func seeStream(_ effect: TalkSession.Effect) -> String? {
        switch effect {
        case .openCapture(let capture, _):
            if openCapture != nil { return "a second capture is opened" }
            openCapture = capture
        case .closeCapture(let capture):
            if openCapture != capture { return "a capture is closed that is not open" }
            if receiver != nil { return "a capture is closed while frames are delivered" }
            openCapture = nil
        case .deliverFrames(let capture, let client):
            if openCapture != capture || status.audio != .active { return "frames are delivered too early" }
            if receiver != nil { return "frames are delivered twice" }
            receiver = client
        case .stopFrames(let capture):
            if openCapture != capture || receiver == nil {
                return "frames are stopped that are not delivered"
            }
            receiver = nil
        case .openPlayback(let playback, _, from: let client):
            if openPlayback != nil { return "a second playback is opened" }
            if client != application { return "another application is played" }
            openPlayback = playback
            isPlaybackStarted = false
            isSpeakerLost = false
        case .closePlayback(let playback):
            if openPlayback != playback { return "a playback is closed that is not open" }
            openPlayback = nil
        default: break
        }
        return nil
    }

    private mutating func hear(_ event: CoreEvent) -> String? {
        switch event {
        case .audioActivating where status.audio != .inactive: return "audio is activated twice"
        case .audioActivating: isInterrupted = false
        case .audioActivated where status.audio != .activating: return "audio is active without activating"
        case .audioDeactivated where status.audio == .inactive: return "audio is deactivated twice"
        case .audioDeactivated where openCapture != nil || openPlayback != nil:
            return "audio ends with an open stream"
        case .transmissionBegan where status.transmission != nil: return "a second transmission begins"
        case .transmissionEnded(let transmission, _, by: _) where status.transmission != transmission:
            return "a transmission ends that did not run"
        case .channelLeft where status.transmission != nil || status.audio != .inactive:
            return "the channel is left before its transmission ended"
        case .channelLeft where status.channel?.participant != nil:
            return "the channel is left while somebody is said to talk"
        case .channelLeft: (application, isAudioLost) = (nil, false)
        case .audioInterrupted where isInterrupted: return "audio is interrupted twice"
        case .audioInterrupted: isInterrupted = true
        // Nobody is left who could be interrupted.
        case .participantChanged(nil): (isInterrupted, isSpeakerLost) = (false, false)
        case .audioInterruptionEnded where !isInterrupted: return "an interruption ends that did not begin"
        case .audioInterruptionEnded: isInterrupted = false
        case .pushFinished(let pushID, _, explanation: _):
            if pushes.remove(pushID) == nil { return "\(pushID) is finished and was not there" }
        case .channelRestored, .pushReceived, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased:
            return "everybody is told of \(event)"
        default: break
        }
        status.apply(event)
        return nil
    }

    private func hear(_ event: CoreEvent, as client: ClientID) -> String? {
        guard let application = attached[client] else { return "\(client) is told and is not attached" }
        guard application == status.channel?.owner else { return "the wrong application is told of \(event)" }
        if case .pushReceived(let push) = event, !pushes.contains(push.pushID) {
            return "the application is told of a push that is over"
        }
        return nil
    }

    private func check(_ session: TalkSession) -> String? {
        if let violation = session.checkInvariants() { return violation }
        if status != session.status { return "a subscriber would believe \(status), not \(session.status)" }
        let channel = status.channel
        let isWaiting = channel?.isApplicationStarting == true
        if (openCapture != nil) != (status.transmission != nil && !isWaiting) {
            return "a capture is open without a transmission, or none is with one"
        }
        // A transmission keeps the session that a lost speaker would have ended.
        let isHeard =
            channel?.participant != nil && channel?.application != nil && !isInterrupted
            && !isSpeakerLost && !isAudioLost && !isOver
        if (openPlayback != nil) != isHeard { return "a playback is open and nobody talks, or the reverse" }
        if (status.audio != .inactive) != (openCapture != nil || openPlayback != nil) {
            return "audio is not on exactly while a stream is open"
        }
        if isInterrupted, channel?.participant == nil { return "an interruption without anybody to hear" }
        if (timer != nil) != (status.transmission != nil || isWaiting || !pushes.isEmpty) {
            return "the timer is not set exactly while something is due"
        }
        if !pushes.isEmpty, channel == nil { return "a push waits for a channel that was left" }
        return checkSaved(channel)
    }

    private func checkSaved(_ channel: Channel?) -> String? {
        guard saved?.channelID == channel?.channelID, saved?.owner?.identifier == channel?.owner else {
            return "another channel is on disk"
        }
        if let saved, let channel,
            saved.transmissionMode != channel.transmissionMode
                || saved.areAccessoryEventsEnabled != channel.areAccessoryEventsEnabled
        {
            return "the channel on disk has other settings"
        }
        if let descriptor, descriptor.name != channel?.name || descriptor.image?.summary != channel?.image {
            return "another descriptor is on disk"
        }
        return nil
    }
}

extension TalkSession.Effect {
    /// The place in the sequence of one event's effects.
    fileprivate var stage: Int {
        switch self {
        case .closeCapture, .closePlayback, .stopFrames: 0
        case .setTimer, .cancelTimer: 1
        case .saveChannel, .saveDescriptor: 2
        case .reply: 3
        case .publish, .tell, .remark: 4
        case .startApplication: 5
        case .openCapture, .openPlayback: 6
        case .deliverFrames: 7
        }
    }
}

extension TalkSession.Event {
    var request: RequestID? {
        switch self {
        case .attachRequested(let id, _, processID: _, _, fresh: _),
            .joinRequested(let id, _, processID: _, _, fresh: _, _), .leaveRequested(let id, _, _),
            .descriptorRequested(let id, _, _), .beginRequested(let id, _, _), .endRequested(let id, _, _),
            .foregroundRequested(let id, _, isForeground: _), .serviceStatusRequested(let id, _, _),
            .transmissionModeRequested(let id, _, _), .accessoryEventsRequested(let id, _, _),
            .participantRequested(let id, _, _), .pushRequested(let id, _),
            .finishPushRequested(let id, _, _):
            id
        case .clientDisconnected, .restored, .applicationStartFailed, .timerFired, .captureStarted,
            .captureFailed,
            .playbackStarted, .playbackFailed, .audioConnectionReady, .audioConnectionLost, .routeChanged,
            .audioServerReady, .audioServerLost, .policyChanged, .systemSuspending, .systemResumed,
            .sessionLocked, .sessionUnlocked, .sessionInactive, .sessionActive, .stateSaved, .stateNotSaved,
            .shuttingDown:
            nil
        }
    }
}
