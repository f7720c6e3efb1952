import PTTMessages

extension TalkSession {
    mutating func attach(
        _ client: ClientID,
        _ processID: Int,
        _ request: ApplicationInterface.AttachRequest,
        _ fresh: PushToken,
        _ turn: inout Turn
    ) -> Answer {
        if machine == .shuttingDown { return .refused(.shuttingDown) }
        let identifier = request.identifier
        let refusal = Refusal.unusable(
            identifier.rawValue,
            longest: identifier.rawValue,
            request.name,
            request.activation?.name ?? ""
        )
        if let refusal { return .refused(refusal) }
        if attachments[client] != nil || channel?.receiver == client { return .refused(.attachedAlready) }
        // It could not end that any more: an application has no say over another's channel.
        if channel?.lease?.holder == client { return .refused(.holdsTransmission) }
        if policy.excluded.contains(identifier) { return .refused(.forbidden(identifier)) }
        let owner = Owner(identifier: identifier, name: request.name, activation: request.activation)
        var program = Attached(
            owner: owner,
            processID: processID,
            format: request.format ?? .standard,
            isForeground: request.isForeground ?? isSeen(identifier, in: processID),
            pushToken: fresh
        )
        awaited.remove { $0 == identifier }
        var left: ApplicationInterface.Left?
        var restored: ApplicationInterface.Restored?
        if let channel, channel.owner?.identifier == identifier {
            program.pushToken = nil
            if isReplaced(channel.receiver, by: program) {
                restored = channel.restored
                if channel.running != nil { retire(&turn) }
                restore(client, program, &turn)
            }
        } else {
            left = leftChannels.take(identifier)
        }
        attachments[client] = program
        return .attached(
            program.pushToken ?? channel?.pushToken ?? fresh,
            program.format,
            restored,
            left: left,
            isForeground: program.isForeground
        )
    }

    /// Whether a person sees an application that does not say so: one that the core has started is seen by nobody, and
    /// a process that attaches again is where it was.
    private func isSeen(_ application: ApplicationID, in processID: Int) -> Bool {
        attachments.newest(of: application, in: processID)?.program.isForeground
            ?? !awaited.contains(application)
    }

    /// Whether an attachment has the application's channel from now on. That of another process waits until the one
    /// that is there goes. The earlier one of the same process has gone already: a process has one manager at a time,
    /// and its new connection may be there before the old one is known to have closed.
    private func isReplaced(_ receiver: ClientID?, by program: Attached) -> Bool {
        guard let receiver else { return true }
        return attachments[receiver]?.processID == program.processID
    }

    /// The application of the channel is back: it hears of what waits for it, of its channel, and of what it missed.
    private mutating func restore(_ client: ClientID, _ program: Attached, _ turn: inout Turn) {
        change { channel in
            let start = channel.start
            channel.presence = .running(Running(client, program, belongsTo: program.owner))
            channel.deliver(start?.pushes ?? [], &turn)
            turn.publish(.channelJoined(channel.description, .channelRestoration))
            for event in start?.held ?? [] { turn.notify(client, event) }
        }
    }

    mutating func clientDisconnected(_ client: ClientID, _ turn: inout Turn) {
        attachments[client] = nil
        lostAudio.remove(client)
        releaseAccessories(of: client, &turn)
        guard channel?.receiver == client else {
            if channel?.lease?.holder == client { endTransmission(.connectionLost, &turn) }
            return
        }
        retire(&turn)
        guard let owner = channel?.owner else {
            change { $0.presence = .unowned }
            turn.publish(.applicationDetached)
            return
        }
        succeed(owner, &turn)
    }

    /// Ends what cannot outlive the program that received the channel's audio.
    private mutating func retire(_ turn: inout Turn) {
        change { channel in
            channel.endTransmission(.applicationGone, by: .unknown, &turn)
            channel.clearParticipant(.applicationGone, &turn)
            channel.finishPushes(.unanswered, "the application has gone", &turn)
        }
        endAudio(&turn)
    }

    /// Another attachment of the application takes the place of the one that has gone.
    private mutating func succeed(_ owner: Owner, _ turn: inout Turn) {
        guard let (client, program) = attachments.newest(of: owner.identifier) else {
            let absence = Absence(owner: owner, returnEnd: turn.now + Absence.returnTime)
            change { $0.presence = .absent(absence) }
            turn.publish(.applicationDetached)
            return
        }
        attachments[client]?.pushToken = nil
        if let channel { turn.notify(client, .channelRestored(channel.restored, channel.pushToken)) }
        restore(client, program, &turn)
    }

    // MARK: What an application says of itself and its channel

    mutating func setForeground(_ client: ClientID, _ request: ApplicationInterface.ForegroundRequest)
        -> Answer
    {
        guard attachments[client] != nil else { return .refused(.notAttached) }
        attachments[client]?.isForeground = request.isForeground
        return .done
    }

    mutating func setServiceStatus(
        _ client: ClientID,
        _ request: ApplicationInterface.ServiceStatusRequest,
        _ turn: inout Turn
    ) -> Answer {
        guard request.status != .unknown else { return .refused(.unknownValue) }
        switch owned(request.channelID, by: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            change { $0.run { $0.serviceStatus = request.status } }
            if channel.running?.serviceStatus != request.status {
                turn.publish(.serviceStatusChanged(request.status))
            }
            return .done
        }
    }

    mutating func setTransmissionMode(
        _ client: ClientID,
        _ request: ApplicationInterface.TransmissionModeRequest,
        _ turn: inout Turn
    ) -> Answer {
        guard request.mode != .unknown else { return .refused(.unknownValue) }
        let answer = setting(client, request.channelID, \.transmissionMode, to: request.mode, &turn) {
            .transmissionModeChanged($0)
        }
        change { channel in
            if !channel.allowsTransmission { channel.endTransmission(.modeChanged, by: .unknown, &turn) }
        }
        return answer
    }

    mutating func setAccessoryEvents(
        _ client: ClientID,
        _ request: ApplicationInterface.AccessoryEventsRequest,
        _ turn: inout Turn
    ) -> Answer {
        setting(client, request.channelID, \.areAccessoryEventsEnabled, to: request.isEnabled, &turn) {
            .accessoryEventsChanged(isEnabled: $0)
        }
    }

    private mutating func setting<Value: Equatable>(
        _ client: ClientID,
        _ channelID: ChannelID?,
        _ path: WritableKeyPath<JoinedChannel, Value>,
        to value: Value,
        _ turn: inout Turn,
        event: (Value) -> CoreEvent
    ) -> Answer {
        switch owned(channelID, by: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            change { $0[keyPath: path] = value }
            if channel[keyPath: path] != value { turn.publish(event(value)) }
            return .done
        }
    }
}

extension JoinedChannel {
    /// What an application that gets it back is told. A descriptor that was lost is not asked for while a push waits.
    fileprivate var restored: ApplicationInterface.Restored {
        ApplicationInterface.Restored(
            channelID: channelID,
            needsDescriptor: isDescriptorLost && start?.pushes.isEmpty != false
        )
    }

    /// Whether the mode allows a transmission now.
    var allowsTransmission: Bool {
        switch transmissionMode {
        case .fullDuplex: true
        case .halfDuplex: participant == nil
        case .listenOnly, .unknown: false
        }
    }
}

extension Running {
    /// - Parameters:
    ///   - client: Its connection.
    ///   - program: What it has said of itself.
    ///   - owner: Nil if the channel stays nobody's.
    init(_ client: ClientID, _ program: Attached, belongsTo owner: Owner?) {
        self.init(
            client: client,
            application: program.application,
            format: program.format,
            owner: owner
        )
    }
}
