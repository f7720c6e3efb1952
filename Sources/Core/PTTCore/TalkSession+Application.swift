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
            isForeground: request.isForeground,
            pushToken: fresh
        )
        guard let channel, channel.receiver == nil, channel.owner?.identifier == identifier else {
            attached[client] = program
            return .attached(fresh, program.format, nil, left: leftChannels.take(identifier))
        }
        program.pushToken = nil
        attached[client] = program
        let restored = ApplicationInterface.Restored(
            channelID: channel.channelID,
            needsDescriptor: channel.isDescriptorLost && channel.pushes.isEmpty
        )
        restore(client, program, &turn)
        return .attached(channel.pushToken, program.format, restored, left: nil)
    }

    /// The application of the channel is back: it hears of what waits for it, of its channel, and of what it missed.
    private mutating func restore(_ client: ClientID, _ program: Attached, _ turn: inout Turn) {
        let held = channel?.start?.held ?? []
        change { channel in
            channel.owner = program.owner
            channel.format = program.format
            channel.presence = .running(client, program.application)
            channel.deliverWaiting(to: client, &turn)
            turn.publish(.channelJoined(channel.description, .channelRestoration))
        }
        catchUp(client, held, &turn)
    }

    func catchUp(_ client: ClientID, _ held: [CoreEvent], _ turn: inout Turn) {
        for event in held { turn.tell(client, event) }
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
            channel.clearParticipant(&turn)
            channel.finishPushes(.unanswered, "the application has gone", &turn)
            channel.presence = channel.owner == nil ? .notNeeded : .absent
            channel.serviceStatus = .ready
            channel.graceEnd = nil
            channel.isAudioConnectionLost = false
            channel.pressed = []
        }
        followAudio(&turn)
        turn.publish(.applicationDetached)
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
        return setting(client, request.channelID, \.serviceStatus, to: request.status, &turn) {
            .serviceStatusChanged($0)
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
    /// Tells the application that came of the pushes that waited for it.
    mutating func deliverWaiting(to client: ClientID, _ turn: inout Turn) {
        for index in pushes.indices where !pushes[index].isDelivered {
            pushes[index].delivered(at: turn.now)
            turn.tell(client, .pushReceived(pushes[index].push))
        }
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
