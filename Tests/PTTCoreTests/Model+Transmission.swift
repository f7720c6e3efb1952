import PTTCore
import PTTMessages

extension Model {
    /// Semantics, “A begin by the application”, “A begin by a person”, “A press starts the application”,
    /// “A begin by a button”, “A button that the application handles”, “A second begin”,
    /// “A participant talks in half duplex”, “A participant talks in full duplex”, “Listen only”,
    /// “A service that is not ready”.
    mutating func begin(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> String {
        // Ours: an unknown source, and a button that does not transmit, are refused, and the refusal is not published.
        if request.source == .unknown || !Self.transmits(request.role) { return "unknown" }
        switch gate(client, request) {
        case .refused(let refusal):
            playRefusal(request.source, isBusy: isBusy(request, refusal))
            notifications.append(.refused(refusal))
            return refusal.rawValue
        case .forTheApplication:
            press(request.origin, request.role, by: client)
            notifications.append(.refused(.transmissionNotAllowed))
            return "transmissionNotAllowed"
        case .open(let usesGrace):
            if usesGrace { channel?.running?.graceEnd = nil }
            // Ours, as on a radio: an emergency takes the place of a transmission, any press that of one that was released.
            let takesAPlace = request.role == .emergency || transmission != nil
            endTransmission(.preempted)
            if takesAPlace, channel?.mode == .halfDuplex || channel?.isHeard != true {
                endSession()
            }
            counts.transmissions += 1
            start()
            transmission = ActiveTransmission(
                client: client,
                source: request.source,
                origin: request.origin,
                role: request.role,
                began: now
            )
            channel?.start?.missed.append("transmissionBegan")
            notifications.append(.kind("transmissionBegan"))
            refuseUnheard()
            return "began"
        }
    }

    /// Semantics, “Tones”: a remote participant has the channel.
    private func isBusy(_ request: ChannelInterface.BeginRequest, _ refusal: RefusalCode) -> Bool {
        refusal == .transmissionNotAllowed && channel?.mode == .halfDuplex && channel?.remote != nil
            && request.role != .emergency
    }

    private static func transmits(_ role: ButtonRole) -> Bool {
        [.talk, .emergency, .secondTalk].contains(role)
    }

    /// Semantics, “A participant while transmitting”: a participant whose speaker has not opened cannot be
    /// heard during a transmission in half duplex.
    mutating func refuseUnheard() {
        guard channel?.isHeard == false, case .opening = channel?.remote?.reception else { return }
        endReception("transmissionInProgress")
    }

    private enum Gate {
        case open(usesGrace: Bool)
        case refused(RefusalCode)
        /// The application handles accessories itself: the press is forwarded to it, and it may begin.
        case forTheApplication
    }

    /// Semantics, “The order of reasons”.
    private func gate(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> Gate {
        guard let channel else { return lastResortGate(client, request) }
        guard means(client, request.channelID) else { return .refused(.channelNotFound) }
        // Ours: no transmission begins from a session that is not active. Checked before what may change by itself.
        if power != .awake || isSessionInactive { return .refused(.unknown) }
        if isLocked != false, whileLocked == .refuse { return .refused(.unknown) }
        // An application that handles accessories itself receives each press, also one that is meant to stop it.
        if request.source == .handsfreeButton, !channel.areAccessoryEventsEnabled {
            return .forTheApplication
        }
        var usesGrace = false
        if request.source == .developerRequest, let attachment = attachments[client],
            !isInForeground(attachment)
        {
            guard let until = channel.running?.graceEnd, now < until else {
                return .refused(.appNotForeground)
            }
            usesGrace = true
        }
        if forbidsCall(request.role) { return .refused(.callActive) }
        let isEmergency = request.role == .emergency
        if let transmission = channel.transmission, transmission.released == nil,
            !isEmergency || transmission.role == .emergency
        {
            return .refused(.transmissionInProgress)
        }
        if channel.mode == .listenOnly { return .refused(.transmissionNotAllowed) }
        if channel.mode == .halfDuplex, channel.remote != nil, !isEmergency {
            return .refused(.transmissionNotAllowed)
        }
        if let running = channel.running, running.status != .ready {
            return .refused(.transmissionNotAllowed)
        }
        // Semantics, “No microphone and no audio server”: ours, also what would capture frames that go
        // nowhere.
        if !hasAudioServer { return .refused(.unknown) }
        if let running = channel.running, withoutAudio.contains(running.client) { return .refused(.unknown) }
        if timedOut.contains(Button(origin: request.origin, role: request.role)) {
            return .refused(.transmissionNotAllowed)
        }
        if case .absent(let owner, reconnectionDeadline: _) = channel.presence, !owner.canBeStarted {
            return .refused(.unknown)
        }
        return .open(usesGrace: usesGrace)
    }

    /// Without a joined channel: what is talked into the virtual microphone must be recorded, and every rule holds that needs
    /// no application.
    private func lastResortGate(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> Gate {
        if request.channelID != nil || attachments[client] != nil { return .refused(.channelNotFound) }
        switch virtualMicrophone {
        case .off, .unavailable: return .refused(.channelNotFound)
        case .idle: return .refused(.noRecorder)
        case .recorded: break
        }
        if let code = forbids(Policy.virtualMicrophone) {
            return .refused(RefusalCode(rawValue: code) ?? .unknown)
        }
        if power != .awake || isSessionInactive { return .refused(.unknown) }
        if isLocked != false, whileLocked == .refuse { return .refused(.unknown) }
        if forbidsCall(request.role) { return .refused(.callActive) }
        if let lastResort, lastResort.released == nil,
            request.role != .emergency || lastResort.role == .emergency
        {
            return .refused(.transmissionInProgress)
        }
        if !hasAudioServer { return .refused(.unknown) }
        if timedOut.contains(Button(origin: request.origin, role: request.role)) {
            return .refused(.transmissionNotAllowed)
        }
        return .open(usesGrace: false)
    }

    /// Semantics, “Joining in the background”: an application is in the background while the screen is locked
    /// or another session is active.
    func isInForeground(_ attachment: Attachment) -> Bool {
        attachment.isForeground && isLocked != true && !isSessionInactive
    }

    /// Semantics, “A button that the application handles”: the application is notified of the press, and may
    /// begin one transmission within three seconds.
    private mutating func press(_ origin: Origin, _ role: ButtonRole, by client: ClientID) {
        guard let application = channel?.running?.client else { return }
        release { $0.origin == origin && Self.transmits($0.role) }
        channel?.running?.graceEnd = now + .seconds(3)
        channel?.running?.pressed.append((origin, role, client))
        notifications.append(.only(application, "accessoryPressed"))
    }

    /// Each forwarded press is forwarded as released, once.
    mutating func release(_ isReleased: ((origin: Origin, role: ButtonRole, by: ClientID)) -> Bool) {
        guard let running = channel?.running else { return }
        for button in running.pressed.filter(isReleased) {
            let kind = Self.transmits(button.role) ? "accessoryReleased" : "buttonReleased"
            notifications.append(.only(running.client, kind))
        }
        channel?.running?.pressed.removeAll(where: isReleased)
    }

    /// Ours: the application is notified of the buttons that do not transmit, and may not begin for them.
    mutating func report(_ client: ClientID, _ report: ChannelInterface.ButtonReport) -> String {
        if Self.transmits(report.role) || report.role == .unknown { return "unknown" }
        let isSame = { (button: (origin: Origin, role: ButtonRole, by: ClientID)) in
            button.origin == report.origin && button.role == report.role
        }
        if !report.isPressed { release { isSame($0) && $0.by == client } }
        guard means(client, report.channelID), let channel else { return "channelNotFound" }
        guard report.isPressed else { return "done" }
        if power != .awake || isSessionInactive || isLocked != false && whileLocked == .refuse {
            return "unknown"
        }
        guard let running = channel.running, attachments[running.client] != nil else { return "unknown" }
        if running.pressed.contains(where: { isSame($0) && $0.by == client }) { return "done" }
        release(isSame)
        self.channel?.running?.pressed.append((report.origin, report.role, client))
        notifications.append(.only(running.client, "buttonPressed"))
        return "done"
    }

    /// Semantics, “A stop by the application”, “A stop without a transmission”, “A stop that comes too late”.
    mutating func end(_ client: ClientID, _ request: ChannelInterface.EndRequest) -> String {
        let cause = request.cause ?? (request.origin == nil ? .stopped : .released)
        // Ours: a release may name one button. Whatever else ends concerns all buttons of the origin.
        let role = cause == .released && request.role != .unknown ? request.role : nil
        let isMeant = { (other: ButtonRole) in role == nil || role == other }
        if let origin = request.origin {
            // After the limit a button must be released: a lost link, or a stop, is not a release.
            if cause == .released { timedOut = timedOut.filter { $0.origin != origin || !isMeant($0.role) } }
            let isReleased = { (button: (origin: Origin, role: ButtonRole, by: ClientID)) in
                button.origin == origin && button.by == client && Self.transmits(button.role)
                    && isMeant(button.role)
            }
            if channel?.running?.pressed.contains(where: isReleased) == true {
                release(isReleased)
                // It also ends the transmission that it began before the application disabled accessory events.
                let transmission = channel?.transmission
                if transmission?.origin != origin || transmission?.client != client
                    || transmission.map({ isMeant($0.role) }) != true
                {
                    return "done"
                }
            }
        }
        let isLastResort = channel == nil && request.channelID == nil && attachments[client] == nil
        guard isLastResort || means(client, request.channelID) else { return "channelNotFound" }
        // Semantics, “A stop without a transmission”.
        guard let transmission else { return "transmissionNotFound" }
        // A transmission is a lease of one connection and one origin: no other release ends it.
        if let origin = request.origin,
            origin != transmission.origin || client != transmission.client || !isMeant(transmission.role)
        {
            return "transmissionNotFound"
        }
        // Semantics, “The source of an end”.
        let by: TransmitSource =
            switch cause {
            case .released: transmission.source
            case .stopped: channel?.running?.client == client ? .developerRequest : .userRequest
            default: .unknown
            }
        if cause == .released, lags(transmission) {
            let end = min(now + releaseLag, transmission.began + Self.timeLimit)
            self.transmission?.released = (by, end)
        } else {
            endTransmission(cause, by: by)
        }
        return "done"
    }

    /// Ours: what a person has said before the release is still on its way to somebody. A second release does not lag.
    private func lags(_ transmission: ActiveTransmission) -> Bool {
        // An application that appears during a transmission receives it if it has the format of it.
        let isReceived =
            channel == nil || channel?.running != nil && transmission.format == receivedFormat
        let isHeard = isLive && gateLimit == nil && isReceived
        return releaseLag > .zero && transmission.source != .developerRequest
            && transmission.released == nil && isHeard
    }

    mutating func endTransmission(_ cause: EndCause, by source: TransmitSource = .unknown) {
        guard let ended = transmission else { return }
        transmission = nil
        playEnd(cause)
        // What ends it while the release lags does not change why it ended.
        let (cause, source) = ended.released.map { (.released, $0.by) } ?? (cause, source)
        channel?.start?.missed.append("transmissionEnded")
        notifications.append(.ended(cause, by: source))
    }

    /// A time limit, with a warning 10 s before it.
    mutating func checkTimeLimit() {
        guard let transmission else { return }
        if let released = transmission.released {
            if now >= released.end { endTransmission(.released) }
        } else if now >= transmission.began + Self.timeLimit {
            // Only what can be held has to be released. Ours: not a button for which its application begins, as the core
            // does not observe its release.
            let canBeHeld =
                transmission.origin.kind != .application && transmission.origin.kind != .commandLine
            if canBeHeld, transmission.source != .developerRequest {
                timedOut.insert(Button(origin: transmission.origin, role: transmission.role))
            }
            endTransmission(.timeLimit)
        } else if !transmission.isWarned, now >= transmission.began + Self.timeLimit + .seconds(-10) {
            self.transmission?.isWarned = true
            if isLive, channel?.mode != .fullDuplex { tones.append("timeLimitNear") }
            notifications.append(.kind("timeLimitNear"))
        }
    }
}
