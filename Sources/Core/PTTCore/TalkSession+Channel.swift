import PTTMessages

extension TalkSession {
    mutating func join(
        _ client: ClientID,
        _ processID: Int,
        _ request: ChannelInterface.JoinRequest,
        _ fresh: ChannelID,
        _ token: PushToken,
        _ turn: inout Turn
    ) -> Answer {
        if machine == .shuttingDown { return .refused(.shuttingDown) }
        if let refusal = Refusal.unusable(request.name, longest: request.name, request.application ?? "") {
            return .refused(refusal)
        }
        let program = attachments[client] ?? Attached(plain: request, processID)
        if let program, !isInForeground(client) { return .refused(.notInForeground(program.owner)) }
        let policyID = program?.owner.identifier ?? Policy.commandLine
        if let refusal = policy.restriction(of: policyID) { return .refused(refusal) }
        switch state {
        case .notJoined:
            let running = program.map { Running(client, $0, belongsTo: $0.owner) }
            let channel = JoinedChannel(
                request.channelID ?? fresh,
                attachments[client]?.pushToken ?? token,
                Descriptor(name: request.name, image: picture(request.image, of: request.name, &turn)),
                running.map { .running($0) } ?? .unowned
            )
            attachments[client]?.pushToken = nil
            return joined(channel, .developerRequest, &turn)
        case .joined(let channel):
            guard channel.channelID == request.channelID else { return .refused(.channelLimit(channel)) }
            guard let program else {
                return .joined(channel.channelID, channel.format, nil, isApplication: false)
            }
            return takeOver(channel, client, program, request, &turn)
        }
    }

    /// An application comes to a channel that has none, or comes back to its own.
    private mutating func takeOver(
        _ channel: JoinedChannel,
        _ client: ClientID,
        _ program: Attached,
        _ request: ChannelInterface.JoinRequest,
        _ turn: inout Turn
    ) -> Answer {
        let isOwner = channel.owner?.identifier == program.owner.identifier
        guard channel.receiver == nil, channel.owner == nil || isOwner else {
            return .refused(.channelLimit(channel))
        }
        let isAttached = attachments[client] != nil
        // What is nobody's stays nobody's when somebody only listens in.
        let owner = isAttached ? program.owner : channel.owner
        let start = channel.start
        var channel = channel
        // What is captured would reach nobody any more.
        if lostAudio.contains(client) { channel.endTransmission(.audioConnectionLost, by: .unknown, &turn) }
        channel.descriptor = Descriptor(
            name: request.name,
            image: picture(request.image, of: request.name, &turn)
        )
        channel.isDescriptorLost = false
        attachments[client]?.pushToken = nil
        if !isAttached { channel.finishPushes(.undeliverable, "the application is not attached", &turn) }
        channel.presence = .running(Running(client, program, belongsTo: owner))
        if isAttached { channel.deliver(start?.pushes ?? [], &turn) }
        let answer = joined(channel, isOwner ? .channelRestoration : .developerRequest, &turn)
        if isAttached { tell(client, ofTransmissionAfter: start, &turn) }
        return answer
    }

    /// Tells an application that comes in the middle of a transmission what it would have been told.
    private mutating func tell(_ client: ClientID, ofTransmissionAfter start: Start?, _ turn: inout Turn) {
        for event in start?.held ?? [] { turn.notify(client, event) }
        guard start == nil, let channel, let lease = channel.lease else { return }
        turn.notify(client, .transmissionBegan(lease.transmission))
        if channel.audio.state == .active { turn.notify(client, .audioActivated) }
    }

    private mutating func joined(_ channel: JoinedChannel, _ reason: JoinReason, _ turn: inout Turn) -> Answer
    {
        state = .joined(channel)
        if let owner = channel.owner { leftChannels.forget(owner.identifier) }
        turn.publish(.channelJoined(channel.description, reason))
        return .joined(
            channel.channelID,
            channel.format,
            channel.receiver.flatMap { attachments[$0] } == nil ? nil : channel.pushToken,
            isApplication: channel.receiver != nil
        )
    }

    mutating func leave(_ client: ClientID, _ channelID: ChannelID?, _ turn: inout Turn) -> Answer {
        switch named(channelID, by: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            leave(channel.receiver == client ? .developerRequest : .userRequest, nil, &turn)
            return .done
        }
    }

    mutating func leave(_ reason: LeaveReason, _ explanation: String?, _ turn: inout Turn) {
        change { channel in
            channel.endTransmission(.channelLeft, by: .unknown, &turn)
            channel.clearParticipant(.channelLeft, &turn)
            channel.finishPushes(nil, "the channel was left", &turn)
        }
        endAudio(&turn)
        endedToken = channel?.pushToken
        rememberLeft(reason, explanation)
        state = .notJoined
        turn.publish(.channelLeft(reason, explanation: explanation))
    }

    /// An application that is away is told when it is back.
    func isAway(_ application: ApplicationID) -> Bool {
        !attachments.isAttached(application)
    }

    private mutating func rememberLeft(_ reason: LeaveReason, _ explanation: String?) {
        guard let channel, channel.receiver == nil, let owner = channel.owner?.identifier, isAway(owner)
        else { return }
        let left = ApplicationInterface.Left(
            channelID: channel.channelID,
            reason: reason,
            explanation: explanation
        )
        leftChannels.remember(left, of: owner)
    }

    mutating func setDescriptor(
        _ client: ClientID,
        _ request: ChannelInterface.DescriptorRequest,
        _ turn: inout Turn
    ) -> Answer {
        if let refusal = Refusal.unusable(request.name, longest: request.name) { return .refused(refusal) }
        switch named(request.channelID, by: client) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(let channel):
            let image = picture(request.image, of: request.name, &turn)
            let descriptor = Descriptor(name: request.name, image: image)
            change {
                $0.descriptor = descriptor
                $0.isDescriptorLost = false
            }
            if descriptor != channel.descriptor {
                turn.publish(.descriptorChanged(name: request.name, image: image?.summary))
            }
            return .done
        }
    }

    mutating func policyChanged(_ policy: Policy, _ turn: inout Turn) {
        self.policy = policy
        guard let channel, let refusal = policy.restriction(of: channel.policyID) else { return }
        leave(.systemPolicy, refusal.reason, &turn)
    }

    /// Whether a person sees what the application does. Clients that do not attach are in front of somebody.
    func isInForeground(_ client: ClientID) -> Bool {
        guard let program = attachments[client] else { return true }
        return program.isForeground && !isLocked && isSessionActive
    }
}

extension Attached {
    /// A client that joins with a name instead of attaching.
    init?(plain request: ChannelInterface.JoinRequest, _ processID: Int) {
        guard let name = request.application else { return nil }
        self.init(
            owner: Owner(identifier: ApplicationID(rawValue: name), name: name, activation: nil),
            processID: processID,
            format: request.format ?? .standard,
            isForeground: true,
            pushToken: nil
        )
    }
}

extension Policy {
    /// What stands against joining.
    func restriction(of application: ApplicationID) -> Refusal? {
        if let unusable { return .unusablePolicy(unusable) }
        let isAllowed = allowed?.contains(application) ?? true
        if !isAllowed || denied.contains(application) || excluded.contains(application) {
            return .forbidden(application)
        }
        return isClosed ? .closed : nil
    }
}
