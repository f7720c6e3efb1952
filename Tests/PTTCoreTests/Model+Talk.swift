import PTTCore
import PTTMessages

extension Model {
    mutating func begin(_ client: ClientID, _ request: CoreInterface.BeginRequest) -> String {
        if request.source == .unknown { return "unknown" }
        if let refusal = gate(client, request) {
            if isForTheApplication, let holder = channel?.holder {
                release { $0.origin == request.origin }
                channel?.pressed.append((request.origin, client))
                told.append(.alone(holder, "accessoryPressed"))
            }
            told.append(.refused(refusal))
            return refusal.rawValue
        }
        if request.source == .developerRequest, let application = attached[client],
            !isSeen(application)
        {
            graceUntil = nil
        }
        transmissions += 1
        talker = Talker(client: client, source: request.source, origin: request.origin, began: now)
        if channel?.owner != nil, channel?.holder == nil {
            start()
            channel?.missed.append("transmissionBegan")
        }
        told.append(.word("transmissionBegan"))
        return "began"
    }

    private mutating func gate(_ client: ClientID, _ request: CoreInterface.BeginRequest) -> RefusalCode? {
        guard means(client, request.channelID), let channel else { return .channelNotFound }
        if isSuspending || isOver || isElsewhere { return .unknown }
        if request.source == .developerRequest, let application = attached[client],
            !isSeen(application)
        {
            guard let graceUntil, now < graceUntil else { return .appNotForeground }
        }
        if request.source == .handsfreeButton, !channel.hasButtons {
            if channel.holder != nil { graceUntil = now + 3 }
            isForTheApplication = true
            return .transmissionNotAllowed
        }
        if talker != nil { return .transmissionInProgress }
        if channel.mode == .listenOnly { return .transmissionNotAllowed }
        if channel.mode == .halfDuplex, channel.speaker != nil { return .transmissionNotAllowed }
        if channel.status != .ready { return .transmissionNotAllowed }
        if !hasAudioServer || isAudioLost { return .unknown }
        if stuck.contains(request.origin) { return .transmissionNotAllowed }
        if channel.owner != nil, channel.holder == nil, !channel.canBeStarted { return .unknown }
        return nil
    }

    func isSeen(_ application: Attached) -> Bool { application.isInFront && !isLocked && !isElsewhere }

    /// The application hears that buttons were let go.
    mutating func release(_ isEnded: ((origin: Origin, by: ClientID)) -> Bool) {
        if let holder = channel?.holder {
            told += (channel?.pressed ?? []).filter(isEnded).map { _ in .alone(holder, "accessoryReleased") }
        }
        channel?.pressed.removeAll(where: isEnded)
    }

    mutating func start() {
        guard channel?.isStartingUntil == nil else { return }
        channel?.isStartingUntil = now + 10
        starts += 1
        channel?.startID = starts
        told.append(.word("applicationStarting"))
        let launchAt = channel?.returnUntil
        channel?.launchAt = launchAt
        launch()
    }

    private mutating func launch() {
        guard let launchAt = channel?.launchAt, now >= launchAt else { return }
        channel?.launchAt = nil
        isStartOrdered = true
        if let owner = channel?.owner { awaited.insert(owner) }
    }

    mutating func end(_ client: ClientID, _ request: CoreInterface.EndRequest) -> String {
        let cause = request.cause ?? (request.origin == nil ? .stopped : .released)
        if cause == .released || cause == .stopped { stuck.removeAll { $0 == request.origin } }
        if let origin = request.origin,
            channel?.pressed.contains(where: { $0.origin == origin && $0.by == client }) == true
        {
            release { $0.origin == origin && $0.by == client }
            if talker?.origin != origin || talker?.client != client { return "done" }
        }
        if channel == nil, request.channelID == nil, attached[client] == nil { return "transmissionNotFound" }
        guard means(client, request.channelID), let channel else { return "channelNotFound" }
        guard let talker else { return "transmissionNotFound" }
        if let origin = request.origin, origin != talker.origin || client != talker.client {
            return "transmissionNotFound"
        }
        let by: TransmitSource =
            switch cause {
            case .released: talker.source
            case .stopped: channel.holder == client ? .developerRequest : .userRequest
            default: .unknown
            }
        silence(cause, by: by)
        return "done"
    }

    mutating func silence(_ cause: EndCause, by source: TransmitSource = .unknown) {
        guard talker != nil else { return }
        talker = nil
        told.append(.ended(cause, by: source))
        if channel?.isStartingUntil != nil { channel?.missed.append("transmissionEnded") }
    }

    mutating func timerFired() {
        if let until = channel?.isStartingUntil, now >= until { giveUpStart() } else { launch() }
        for push in pushes {
            if let until = push.until, now >= until { finished(push.id, .unanswered) }
        }
        if let talker, now >= talker.began + Self.limit {
            let isHeld = talker.origin.kind != .application && talker.origin.kind != .commandLine
            if isHeld, talker.source != .developerRequest { stuck.append(talker.origin) }
            silence(.timeLimit)
        } else if let talker, !talker.isWarned, now >= talker.began + Self.limit - 10 {
            self.talker?.isWarned = true
            told.append(.word("timeLimitNear"))
        }
    }

    mutating func startFailed(_ start: Int) {
        guard channel?.startID == start, channel?.isStartingUntil != nil else { return }
        if let owner = channel?.owner { awaited.remove(owner) }
        giveUpStart()
    }

    private mutating func giveUpStart() {
        silence(.applicationUnavailable)
        endPushes(.undeliverable)
        channel?.isStartingUntil = nil
        channel?.launchAt = nil
        channel?.returnUntil = now
        channel?.missed = []
        told.append(.word("applicationDetached"))
    }

    mutating func endPushes(_ outcome: PushOutcome) {
        for push in pushes { finished(push.id, outcome) }
    }

    private mutating func finished(_ id: Int, _ outcome: PushOutcome) {
        pushes.removeAll { $0.id == id }
        told.append(.finished(id, outcome))
    }

    mutating func push(_ envelope: PushEnvelope) -> String {
        let request = envelope.request
        guard let channel, let owner = channel.owner, channel.token == request.token else {
            let isKnown =
                attached.values.contains { $0.token == request.token && !$0.isTokenUsed }
                || lastToken == request.token
            return isKnown ? "unregistered" : "badDeviceToken"
        }
        if isOver { return "unknown" }
        if let holder = channel.holder, attached[holder] == nil { return "unregistered" }
        if request.topic != owner.rawValue + ".voip-ptt" { return "deviceTokenNotForTopic" }
        let isServiceUpdate = envelope.content == .readable(isServiceUpdate: true)
        let isUrgent = isServiceUpdate && request.priority > 5
        urgent.removeAll { $0 + 3600 <= now }
        if isUrgent, urgent.count >= 6 { return "tooManyRequests" }
        if pushes.count >= 16 { return "tooManyRequests" }
        if isUrgent { urgent.append(now) }
        pushCount += 1
        pushes.append(Waiting(id: pushCount, kind: isServiceUpdate ? .serviceUpdate : .pushToTalk))
        if let holder = channel.holder {
            pushes[pushes.count - 1].until = now + (isServiceUpdate ? 30 : 5)
            told.append(.alone(holder, "pushReceived"))
        } else if channel.canBeStarted {
            start()
        } else {
            finished(pushCount, .undeliverable)
        }
        return "accepted"
    }

    mutating func finish(_ client: ClientID, _ request: ApplicationInterface.FinishPushRequest) -> String {
        let id = request.pushID.rawValue
        guard channel?.holder == client else { return "unknown" }
        if request.endsTransmission {
            if talker == nil { told.append(.alone(client, "endRefused")) }
            silence(.stopped, by: .developerRequest)
        }
        guard let push = pushes.first(where: { $0.id == id }) else { return "unknown" }
        var refusal: String?
        if (request.result == .processed) != (push.kind == .serviceUpdate) {
            finished(id, .failed)
            return "unknown"
        }
        switch request.result {
        case .leaveChannel:
            finished(id, .answered)
            leave(.developerRequest)
        case .processed, .unknown:
            finished(id, .answered)
        case .activeRemoteParticipant:
            refusal = request.participant.map { speak($0) } ?? "unknown"
            finished(id, refusal == nil ? .answered : .failed)
        }
        return refusal ?? "done"
    }
}
