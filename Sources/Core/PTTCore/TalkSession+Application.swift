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
        if attached[client] != nil || channel?.receiver == client { return .refused(.attachedAlready) }
        if policy.excluded.contains(identifier) { return .refused(.forbidden(identifier)) }
        let owner = Owner(identifier: identifier, name: request.name, activation: request.activation)
        var program = Attached(
            owner: owner,
            processID: processID,
            format: request.format ?? .standard,
            isForeground: request.isForeground ?? !isAwaited(identifier),
            pushToken: fresh
        )
        guard let channel, channel.owner?.identifier == identifier else {
            attached[client] = program
            return .attached(fresh, program.format, nil, left: leftChannels.take(identifier))
        }
        program.pushToken = nil
        attached[client] = program
        // Its turn comes when the one that is there goes.
        if channel.receiver != nil { return .attached(channel.pushToken, program.format, nil, left: nil) }
        let restored = ApplicationInterface.Restored(
            channelID: channel.channelID,
            needsDescriptor: channel.isDescriptorLost && channel.start?.pushes.isEmpty != false
        )
        restore(client, program, &turn)
        return .attached(channel.pushToken, program.format, restored, left: nil)
    }

    /// Whether the core has started this application: nobody has seen it then, unless it says so.
    private func isAwaited(_ application: ApplicationID) -> Bool {
        guard let start = channel?.start else { return false }
        return start.owner.identifier == application && start.launch == nil
    }

    /// The application of the channel is back: it hears of what waits for it, of its channel, and of what it missed.
    private mutating func restore(_ client: ClientID, _ program: Attached, _ turn: inout Turn) {
        change { channel in
            let start = channel.start
            channel.presence = .running(Running(client, program, belongsTo: program.owner))
            channel.deliver(start?.pushes ?? [], &turn)
            turn.publish(.channelJoined(channel.description, .channelRestoration))
            for event in start?.held ?? [] { turn.tell(client, event) }
        }
    }

    mutating func clientDisconnected(_ client: ClientID, _ turn: inout Turn) {
        attached[client] = nil
        releaseAccessories(of: client, &turn)
        guard channel?.receiver == client else {
            if channel?.lease?.holder == client { endTransmission(.connectionLost, &turn) }
            return
        }
        change { channel in
            channel.endTransmission(.applicationGone, by: .unknown, &turn)
            channel.clearParticipant(.applicationGone, &turn)
            channel.finishPushes(.unanswered, "the application has gone", &turn)
        }
        endAudio(&turn)
        guard let owner = channel?.owner else {
            change { $0.presence = .unowned }
            turn.publish(.applicationDetached)
            return
        }
        succeed(owner, &turn)
    }

    /// Another attachment of the application takes the place of the one that has gone: that of a second process, or of
    /// the same one, whose new connection may be there before the old one is known to have closed.
    private mutating func succeed(_ owner: Owner, _ turn: inout Turn) {
        guard let (client, program) = attachment(of: owner.identifier) else {
            let absence = Absence(owner: owner, returnEnd: turn.now + Absence.returnTime)
            change { $0.presence = .absent(absence) }
            turn.publish(.applicationDetached)
            return
        }
        change { channel in
            channel.presence = .running(Running(client, program, belongsTo: program.owner))
            turn.publish(.channelJoined(channel.description, .channelRestoration))
        }
    }

    /// The newest attachment of an application.
    func attachment(of application: ApplicationID) -> (ClientID, Attached)? {
        attached.filter { $0.value.owner.identifier == application }
            .max { $0.key.rawValue < $1.key.rawValue }
            .map { ($0.key, $0.value) }
    }

    // MARK: What an application says of itself and its channel

    mutating func setForeground(_ client: ClientID, _ isForeground: Bool) -> Answer {
        guard attached[client] != nil else { return .refused(.notAttached) }
        attached[client]?.isForeground = isForeground
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
    ///   - takesPushes: Whether it is attached.
    init(_ client: ClientID, _ program: Attached, belongsTo owner: Owner?, takesPushes: Bool = true) {
        self.init(
            client: client,
            application: program.application,
            format: program.format,
            owner: owner,
            takesPushes: takesPushes
        )
    }
}
