import PTTCore
import PTTMessages

/// Runs the core and its model with the same events and compares them. What an observer sees is checked too.
struct ModelComparison {
    private(set) var session: TalkSession
    private(set) var observer: Observer
    private(set) var model: Model
    /// The effects of the last event.
    private(set) var effects: [TalkSession.Effect] = []

    init(
        whileLocked: TalkSession.WhileLocked = .allow,
        releaseLag: Duration = .zero,
        isSessionKnown: Bool = true
    ) {
        model = Model(whileLocked: whileLocked, releaseLag: releaseLag)
        if !isSessionKnown { (model.isLocked, model.isSessionInactive) = (nil, nil) }
        session = TalkSession(
            timeLimit: Model.timeLimit,
            releaseLag: releaseLag,
            whileLocked: whileLocked,
            emergencyDuringCalls: model.emergencyDuringCalls,
            isSessionKnown: isSessionKnown
        )
        observer = Observer(session, isSessionKnown: isSessionKnown)
    }

    /// When the timer fires, if that is before this time.
    func timer(before time: MonotonicTime) -> MonotonicTime? {
        guard let timer = observer.timer, timer <= time else { return nil }
        return timer
    }

    /// - Returns: The first difference or violation.
    mutating func run(_ event: TalkSession.Event, at time: MonotonicTime) -> String? {
        let violation: String?
        (effects, violation) = observer.run(event, at: time, in: &session)
        model.handle(event, at: time)
        return violation ?? difference ?? differenceOfState
    }

    private var difference: String? {
        var answers: [String] = []
        var tones: [String] = []
        var isStartOrdered = false
        var notifications: [Model.Notification] = []
        var audioNotifications: [Model.Notification] = []
        for effect in effects {
            switch effect {
            case .reply(_, let answer): answers.append(brief(answer))
            case .publish(let event):
                switch event {
                case .audioActivating, .audioActivated, .audioDeactivated, .audioInterrupted,
                    .audioInterruptionEnded:
                    audioNotifications.append(brief(event))
                default: notifications.append(brief(event))
                }
            case .notify(let client, let event): notifications.append(.only(client, event.kind))
            case .startApplication: isStartOrdered = true
            case .playTone(let tone): tones.append(tone.rawValue)
            case .playTalkPermit: tones.append(Tone.talkPermit.rawValue)
            case .openCapture, .closeCapture, .openPlayback, .closePlayback, .deliverFrames, .stopFrames,
                .setTimer, .cancelTimer, .saveChannel, .saveDescriptor, .saveVolume, .log, .setVolume:
                break
            }
        }
        if answers != model.answers { return "the answers are \(answers), by the model \(model.answers)" }
        if tones != model.tones { return "the tones are \(tones), by the model \(model.tones)" }
        if notifications != model.notifications {
            return "the events are \(notifications), by the model \(model.notifications)"
        }
        if isStartOrdered != model.isStartOrdered {
            return "an application is \(isStartOrdered ? "" : "not ")started, by the model it is the reverse"
        }
        if audioNotifications != model.audioNotifications {
            return "audio is \(audioNotifications), by the model \(model.audioNotifications)"
        }
        return nil
    }

    private var differenceOfState: String? {
        let (status, channel, joined) = (observer.status, observer.status.channel, model.channel)
        let transmission = model.transmission
        guard
            channel?.channelID == joined?.id,
            channel?.name == joined?.name,
            channel?.owner == joined?.ownerID,
            (channel?.application != nil) == (joined?.running != nil),
            channel?.isApplicationStarting == joined.map({ $0.start != nil }),
            channel?.serviceStatus == joined.map({ $0.running?.status ?? .ready }),
            channel?.transmissionMode == joined?.mode,
            channel?.areAccessoryEventsEnabled == joined?.areAccessoryEventsEnabled,
            channel?.participant?.name == joined?.remote?.name,
            status.transmission?.origin == transmission?.origin,
            status.transmission?.source == transmission?.source,
            status.transmission?.role == transmission?.role,
            (status.transmission?.latched != nil) == (transmission?.isLatched == true),
            status.isAudioServerReady == model.hasAudioServer,
            status.saveFailure == model.saveFailure,
            status.virtualMicrophone == model.virtualMicrophone,
            status.call == model.call,
            status.recorders == model.recorders,
            status.microphone == model.microphone,
            status.volume == model.volume
        else {
            return
                "the status is \(status), by the model the channel is \(joined.map { "\($0)" } ?? "not joined")"
        }
        // The most important of all promises: the microphone.
        if (observer.openCapture != nil) != model.isSending {
            return
                "the microphone is \(observer.openCapture == nil ? "closed" : "open"), by the model it is not"
        }
        if observer.receiver != nil || observer.isVirtualMicrophoneFed,
            !model.isLive || model.gateLimit != nil
        {
            return "frames are delivered, by the model the gate is closed"
        }
        if (observer.openPlayback != nil) != (joined?.isHeard == true) {
            return
                "the speaker is \(observer.openPlayback == nil ? "closed" : "open"), by the model it is not"
        }
        return nil
    }

    private func brief(_ answer: TalkSession.Answer) -> String {
        switch answer {
        case .attached(_, _, let restored, let left, isForeground: _):
            restored.map { $0.needsDescriptor ? "attached restored needsDescriptor" : "attached restored" }
                ?? (left.map { "attached left \($0.reason)" } ?? "attached")
        case .refused(let refusal): refusal.name
        case .rejected(let rejection): rejection.code.rawValue
        // The name of the case.
        default: String("\(answer)".prefix { $0 != " " })
        }
    }

    private func brief(_ event: CoreEvent) -> Model.Notification {
        switch event {
        case .channelJoined(_, let reason): .joined(reason)
        case .channelLeft(let reason, _): .left(reason)
        case .transmissionEnded(_, let cause, let source): .ended(cause, by: source)
        case .transmissionRefused(_, let refusal): .refused(name(of: refusal))
        case .audioInterrupted(let interruption): .interrupted(interruption)
        case .pushFinished(let pushID, let outcome, _): .finished(pushID.rawValue, outcome)
        default: .kind(event.kind)
        }
    }

    /// The reason of the reply, if the event gives the same one.
    private func name(of refusal: Refusal) -> String {
        effects.lazy.compactMap { effect in
            guard case .reply(_, .refused(let reason)) = effect, reason.forClient == refusal else {
                return nil
            }
            return reason.name
        }
        .first ?? "for another reason than the reply"
    }
}

extension RefusalCause {
    /// The name of the case.
    var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
