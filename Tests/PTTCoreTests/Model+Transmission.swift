import PTTCore
import PTTMessages

extension Model {
    /// Semantics, “A begin by the application”, “A begin by a person”, “A press starts the application”,
    /// “A begin by a button”, “A button that the application handles”, “A second begin”,
    /// “A participant talks in half duplex”, “A participant talks in full duplex”, “Listen only”,
    /// “A service that is not ready”.
    mutating func begin(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> String {
        // Ours: an unknown source, and a button that does not transmit, are refused, and the refusal is not
        // published.
        if request.source == .unknown || request.role == .unknown { return "unknownValue" }
        let isRecording = request.recording != nil
        if !Self.transmits(request.role), !isRecording { return "doesNotTransmit" }
        switch admission(client, request) {
        case .refused(let refusal):
            // Semantics, “Tones”: a remote participant has the channel.
            playRefusal(request.source, isBusy: refusal == "remoteSpeaks")
            notifications.append(.refused(refusal))
            return refusal
        case .forTheApplication:
            press(request.origin, request.role, by: client)
            notifications.append(.refused("accessoriesOff"))
            return "accessoriesOff"
        case .admitted(let usesGrace):
            if usesGrace { channel?.running?.graceEnd = nil }
            // Ours, as on a radio: an emergency takes the place of a transmission, any press that of one that
            // was released.
            let takesAPlace = request.role == .emergency && !isRecording || transmission != nil
            endTransmission(.preempted)
            if takesAPlace, channel?.mode == .halfDuplex && !isRecording || channel?.isHeard != true {
                endSession()
            }
            counts.transmissions += 1
            if !isRecording { start() }
            transmission = ActiveTransmission(
                client: client,
                source: request.source,
                origin: request.origin,
                role: request.role,
                began: now,
                recordingFormat: request.recording
            )
            if !isRecording { channel?.start?.missed.append("transmissionBegan") }
            notifications.append(.kind("transmissionBegan"))
            refuseUnheard()
            return "began"
        }
    }

    private static func transmits(_ role: ButtonRole) -> Bool {
        [.talk, .emergency, .secondTalk].contains(role)
    }

    private enum Admission {
        case admitted(usesGrace: Bool)
        case refused(String)
        /// The application handles accessories itself: the press is forwarded to it, and it may begin.
        case forTheApplication
    }

    /// Why neither a transmission nor a reception can begin. Ours: also while it is not known whose session
    /// is active.
    var standstill: String? {
        switch power {
        case .suspending: return "suspending"
        case .shuttingDown: return "shuttingDown"
        case .awake: break
        }
        return switch isSessionInactive {
        case false?: nil
        case true?: "sessionInactive"
        case nil: "sessionUnknown"
        }
    }

    /// Ours: a screen of which it is not known whether it is locked counts as locked.
    var lockRefusal: String? {
        guard whileLocked == .refuse, isLocked != false else { return nil }
        return isLocked == true ? "sessionLocked" : "lockUnknown"
    }

    /// Semantics, “The order of reasons”.
    private func admission(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> Admission {
        if request.recording != nil {
            return recordingRefusal(client, request).map { .refused($0) } ?? .admitted(usesGrace: false)
        }
        guard let channel else { return withoutChannel(client, request) }
        if let refusal = noAccess(client, request.channelID) { return .refused(refusal) }
        // Ours: no transmission begins from a session that is not active. Checked before what may change by
        // itself.
        if let refusal = standstill ?? lockRefusal { return .refused(refusal) }
        // An application that handles accessories itself receives each press, also one that is meant to stop
        // it.
        if request.source == .handsfreeButton, !channel.areAccessoryEventsEnabled {
            return .forTheApplication
        }
        var usesGrace = false
        if request.source == .developerRequest, let attachment = attachments[client],
            !isInForeground(attachment)
        {
            guard let until = channel.running?.graceEnd, now < until else {
                return .refused("notInForeground")
            }
            usesGrace = true
        }
        if forbidsCall(request.role) { return .refused("callActive") }
        let isEmergency = request.role == .emergency
        if let transmission, transmission.released == nil, !isEmergency || transmission.isEmergency {
            return .refused("inProgress")
        }
        if channel.mode == .listenOnly { return .refused("listenOnly") }
        if channel.mode == .halfDuplex, channel.remote != nil, !isEmergency {
            return .refused("remoteSpeaks")
        }
        if let running = channel.running, running.status != .ready {
            return .refused("notReady")
        }
        // Semantics, “No microphone and no audio server”: ours, also what would capture frames that go
        // nowhere.
        if !hasAudioServer { return .refused("noAudioServer") }
        if let running = channel.running, withoutAudio.contains(running.client) {
            return .refused("noAudioConnection")
        }
        if timedOut.contains(Button(origin: request.origin, role: request.role)) {
            return .refused("timedOut")
        }
        if case .absent(let owner, reconnectionDeadline: _) = channel.presence, !owner.canBeStarted {
            return .refused("absent")
        }
        return .admitted(usesGrace: usesGrace)
    }

    /// Without a joined channel: what is talked into the virtual microphone must be recorded, and every rule
    /// holds that needs no application.
    private func withoutChannel(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> Admission {
        if request.channelID != nil || attachments[client] != nil { return .refused("notJoined") }
        switch virtualMicrophone {
        case .off, .unavailable: return .refused("notJoined")
        case .idle: return .refused("noRecorder")
        case .recorded: break
        }
        if let refusal = forbids(Self.virtualMicrophoneID) { return .refused(refusal) }
        if let refusal = standstill ?? lockRefusal { return .refused(refusal) }
        if forbidsCall(request.role) { return .refused("callActive") }
        if let transmission, transmission.released == nil,
            request.role != .emergency || transmission.isEmergency
        {
            return .refused("inProgress")
        }
        if !hasAudioServer { return .refused("noAudioServer") }
        if timedOut.contains(Button(origin: request.origin, role: request.role)) {
            return .refused("timedOut")
        }
        return .admitted(usesGrace: false)
    }

    /// Semantics, “Joining in the background”: an application is in the background while the screen is locked
    /// or another session is active.
    func isInForeground(_ attachment: Attachment) -> Bool {
        attachment.isForeground && isLocked != true && isSessionInactive != true
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
        if report.role == .unknown { return "unknownValue" }
        if Self.transmits(report.role) { return "transmits" }
        let isSame = { (button: (origin: Origin, role: ButtonRole, by: ClientID)) in
            button.origin == report.origin && button.role == report.role
        }
        if !report.isPressed { release { isSame($0) && $0.by == client } }
        if let refusal = noAccess(client, report.channelID) { return refusal }
        guard report.isPressed else { return "done" }
        if let refusal = standstill ?? lockRefusal { return refusal }
        guard let running = channel?.running else { return "absent" }
        guard attachments[running.client] != nil else { return "receivesNoButtons" }
        if running.pressed.contains(where: { isSame($0) && $0.by == client }) { return "done" }
        release(isSame)
        channel?.running?.pressed.append((report.origin, report.role, client))
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
                // It also ends the transmission that it began before the application disabled accessory
                // events.
                let transmission = self.transmission
                if transmission?.origin != origin || transmission?.client != client
                    || transmission.map({ isMeant($0.role) }) != true
                {
                    return "done"
                }
            }
        }
        let isLastResort = channel == nil && request.channelID == nil && attachments[client] == nil
        if !isLastResort, let refusal = noAccess(client, request.channelID) { return refusal }
        // Semantics, “A stop without a transmission”.
        guard let transmission, recording == nil || client != channel?.running?.client else {
            return "noTransmission"
        }
        // A transmission is a lease of one connection and one origin: no other release ends it.
        if let origin = request.origin,
            origin != transmission.origin || client != transmission.client || !isMeant(transmission.role)
        {
            return "notHeld"
        }
        // Semantics, “The source of an end”.
        let by: TransmitSource =
            switch cause {
            case .released: transmission.source
            case .stopped, .floorTaken: channel?.running?.client == client ? .developerRequest : .userRequest
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

    /// Ours: what a person has said before the release is still on its way to somebody. A second release does
    /// not lag.
    private func lags(_ transmission: ActiveTransmission) -> Bool {
        // An application that appears during a transmission receives it if it has the format of it.
        let isReceived =
            channel == nil || transmission.isRecording
            || channel?.running != nil && transmission.format == receivedFormat
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
        if !ended.isRecording { channel?.start?.missed.append("transmissionEnded") }
        notifications.append(.ended(cause, by: source))
    }

    /// A time limit, with a warning 10 s before it.
    mutating func checkTimeLimit() {
        guard let transmission else { return }
        if let released = transmission.released {
            if now >= released.end { endTransmission(.released) }
        } else if now >= transmission.began + Self.timeLimit {
            // Only what can be held has to be released. Ours: not a button for which its application begins,
            // as the core does not observe its release.
            let canBeHeld =
                transmission.origin.kind != .application && transmission.origin.kind != .commandLine
            if canBeHeld, transmission.source != .developerRequest {
                timedOut.insert(Button(origin: transmission.origin, role: transmission.role))
            }
            endTransmission(.timeLimit)
        } else if !transmission.isWarned, now >= transmission.began + Self.timeLimit + .seconds(-10) {
            self.transmission?.isWarned = true
            if isLive, recording != nil || channel?.mode != .fullDuplex { tones.append("timeLimitNear") }
            notifications.append(.kind("timeLimitNear"))
        }
    }
}
