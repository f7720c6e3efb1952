import PTTCore
import PTTMessages

extension Model {
    /// Rows 11 to 14, 16 to 20.
    mutating func begin(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> String {
        // Ours: who does not say who begins cannot be judged, and nobody is told of it.
        if request.source == .unknown { return "unknown" }
        switch gate(client, request) {
        case .refused(let refusal):
            notifications.append(.refused(refusal))
            return refusal.rawValue
        case .forTheApplication:
            press(request.origin, by: client)
            notifications.append(.refused(.transmissionNotAllowed))
            return "transmissionNotAllowed"
        case .open(let usesGrace):
            if usesGrace { channel?.running?.graceUntil = nil }
            counts.transmissions += 1
            start()
            channel?.talk = Talk(client: client, source: request.source, origin: request.origin, began: now)
            channel?.start?.missed.append("transmissionBegan")
            notifications.append(.word("transmissionBegan"))
            return "began"
        }
    }

    private enum Gate {
        case open(usesGrace: Bool)
        case refused(RefusalCode)
        /// The application has the buttons: it hears of the press, and may begin by itself.
        case forTheApplication
    }

    /// 2.3, in its order.
    private func gate(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> Gate {
        guard means(client, request.channelID), let channel else { return .refused(.channelNotFound) }
        // Ours: nobody transmits from a machine that nobody can be at. Before what may change by itself.
        if power != .awake || isSessionInactive { return .refused(.unknown) }
        if isLocked, whileLocked == .refuse { return .refused(.unknown) }
        // An application that has the buttons hears of each press, also of one that is to stop it.
        if request.source == .handsfreeButton, !channel.areAccessoryEventsEnabled {
            return .forTheApplication
        }
        var usesGrace = false
        if request.source == .developerRequest, let attachment = attachments[client], !isSeen(attachment) {
            guard let until = channel.running?.graceUntil, now < until else {
                return .refused(.appNotForeground)
            }
            usesGrace = true
        }
        if channel.talk != nil { return .refused(.transmissionInProgress) }
        if channel.mode == .listenOnly { return .refused(.transmissionNotAllowed) }
        if channel.mode == .halfDuplex, channel.remote != nil { return .refused(.transmissionNotAllowed) }
        if let running = channel.running, running.status != .ready {
            return .refused(.transmissionNotAllowed)
        }
        // 2.3, 8. Ours: what else would be captured into nothing.
        if !hasAudioServer { return .refused(.unknown) }
        if let running = channel.running, withoutAudio.contains(running.client) { return .refused(.unknown) }
        if timedOut.contains(request.origin) { return .refused(.transmissionNotAllowed) }
        if case .absent(let owner, backBy: _) = channel.presence, !owner.canBeStarted {
            return .refused(.unknown)
        }
        return .open(usesGrace: usesGrace)
    }

    /// Row 5: nobody sees an application behind a locked screen, or while another session is in front.
    func isSeen(_ attachment: Attachment) -> Bool {
        attachment.isForeground && !isLocked && !isSessionInactive
    }

    /// Row 14, proof 35: the application hears of the button, and may begin within three seconds, once.
    private mutating func press(_ origin: Origin, by client: ClientID) {
        guard let application = channel?.running?.client else { return }
        release { $0.origin == origin }
        channel?.running?.graceUntil = now + 3
        channel?.running?.pressed.append((origin, client))
        notifications.append(.alone(application, "accessoryPressed"))
    }

    /// Each press that was told of is told of as released, once.
    mutating func release(_ isReleased: ((origin: Origin, by: ClientID)) -> Bool) {
        guard let running = channel?.running else { return }
        for _ in running.pressed.filter(isReleased) {
            notifications.append(.alone(running.client, "accessoryReleased"))
        }
        channel?.running?.pressed.removeAll(where: isReleased)
    }

    /// Rows 22 to 24.
    mutating func end(_ client: ClientID, _ request: ChannelInterface.EndRequest) -> String {
        let cause = request.cause ?? (request.origin == nil ? .stopped : .released)
        if let origin = request.origin {
            // After the limit a button must be seen released: a link that breaks, or a stop, is none.
            if cause == .released { timedOut.remove(origin) }
            if channel?.running?.pressed.contains(where: { $0.origin == origin && $0.by == client }) == true {
                release { $0.origin == origin && $0.by == client }
                // It ends what it holds all the same, from before the application took the buttons.
                if channel?.talk?.origin != origin || channel?.talk?.client != client { return "done" }
            }
        }
        guard means(client, request.channelID) else {
            // Row 23, for who asks for no particular channel.
            let isAnybody = channel == nil && request.channelID == nil && attachments[client] == nil
            return isAnybody ? "transmissionNotFound" : "channelNotFound"
        }
        guard let talk = channel?.talk else { return "transmissionNotFound" }
        // A transmission is a lease of one connection and one origin: no other release ends it.
        if let origin = request.origin, origin != talk.origin || client != talk.client {
            return "transmissionNotFound"
        }
        // Proof 25.
        let by: TransmitSource =
            switch cause {
            case .released: talk.source
            case .stopped: channel?.running?.client == client ? .developerRequest : .userRequest
            default: .unknown
            }
        endTransmission(cause, by: by)
        return "done"
    }

    mutating func endTransmission(_ cause: EndCause, by source: TransmitSource = .unknown) {
        guard channel?.talk != nil else { return }
        channel?.talk = nil
        channel?.start?.missed.append("transmissionEnded")
        notifications.append(.ended(cause, by: source))
    }

    /// A time limit, with a warning 10 s before it.
    mutating func checkTimeLimit() {
        guard let talk = channel?.talk else { return }
        if now >= talk.began + Self.timeLimit {
            // Only what can be held owes a release. Ours: a button for which its application begins owes none, as the
            // core does not see it.
            let canBeHeld = talk.origin.kind != .application && talk.origin.kind != .commandLine
            if canBeHeld, talk.source != .developerRequest { timedOut.insert(talk.origin) }
            endTransmission(.timeLimit)
        } else if !talk.isWarned, now >= talk.began + Self.timeLimit - 10 {
            channel?.talk?.isWarned = true
            notifications.append(.word("timeLimitNear"))
        }
    }
}
