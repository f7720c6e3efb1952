import PTTMessages

extension TalkSession {
    mutating func join(
        _ request: ChannelInterface.JoinRequest,
        _ processID: Int,
        _ newChannelID: ChannelID,
        _ newToken: PushToken,
        from client: ClientID
    ) throws(RefusalCause) -> Answer {
        try Self.check(request.name, longest: request.name, request.application ?? "")
        let process = attachments[client] ?? ApplicationProcess(joining: request, processID: processID)
        // The audio socket of the client has the frames of its recording.
        if process != nil, let lease, lease.isRecording, lease.holder == client { throw .holdsTransmission }
        if let process, !isInForeground(client) { throw .notInForeground(process.owner) }
        let policyID = process?.owner.identifier ?? Policy.commandLine
        if let refusal = surroundings.policy.restriction(of: policyID) { throw refusal }
        if let channel {
            guard channel.channelID == request.channelID else { throw channel.limit }
            guard let process else {
                return .joined(channel.channelID, channel.format, pushToken: nil, isApplication: false)
            }
            return try takeOver(channel, by: process, of: client, request)
        }
        let running = process.map { RunningApplication($0, client: client, owner: $0.owner) }
        let image = image(request.image, of: request.name)
        let channel = JoinedChannel(
            channelID: request.channelID ?? newChannelID,
            pushToken: attachments[client]?.pushToken ?? newToken,
            descriptor: Descriptor(name: request.name, image: image),
            presence: running.map { .running($0) } ?? .unowned
        )
        attachments[client]?.pushToken = nil
        // It takes the buttons from the Push-to-Talk Microphone, and with them the microphone.
        endUse(.channelLeft, .channelLeft)
        audio.reset()
        return joined(channel, for: .developerRequest)
    }

    /// An application joins a channel that has none, or rejoins its own.
    private mutating func takeOver(
        _ channel: JoinedChannel,
        by process: ApplicationProcess,
        of client: ClientID,
        _ request: ChannelInterface.JoinRequest
    ) throws(RefusalCause) -> Answer {
        let isOwner = channel.owner?.identifier == process.owner.identifier
        guard channel.receiver == nil, channel.owner == nil || isOwner else { throw channel.limit }
        let isAttached = attachments[client] != nil
        // A channel without an owner stays without one when a client that is not attached only listens to it.
        let owner = isAttached ? process.owner : channel.owner
        var taken = channel
        taken.presence = .running(RunningApplication(process, client: client, owner: owner))
        self.channel = taken
        // Its audio socket may have closed.
        yieldTransmission()
        taken.descriptor = Descriptor(name: request.name, image: image(request.image, of: request.name))
        taken.isDescriptorLost = false
        attachments[client]?.pushToken = nil
        // None wait if it is: an owner that attaches has its channel back at once.
        channel.finishPushes(explanation: "the application is not attached", effects: &effects)
        let answer = joined(taken, for: isOwner ? .channelRestoration : .developerRequest)
        if isAttached { notifyOfTransmission(client) }
        return answer
    }

    /// Notifies an application that joins during a transmission of the events that it missed.
    private mutating func notifyOfTransmission(_ client: ClientID) {
        guard let lease = channelLease else { return }
        effects.notify(client, .transmissionBegan(transmission: lease.transmission))
        if audio.state == .active { effects.notify(client, .audioActivated) }
    }

    private mutating func joined(_ channel: JoinedChannel, for reason: JoinReason) -> Answer {
        self.channel = channel
        if let owner = channel.owner { leftChannels.remove { $0.application == owner.identifier } }
        effects.publish(.channelJoined(channel: channel.description, joinReason: reason))
        return .joined(
            channel.channelID,
            channel.format,
            pushToken: channel.receiver.flatMap { attachments[$0] } == nil ? nil : channel.pushToken,
            isApplication: channel.receiver != nil
        )
    }

    mutating func leave(
        _ request: ChannelInterface.LeaveRequest,
        from client: ClientID
    ) throws(RefusalCause) {
        let channel = try channel(request.channelID, for: client)
        leave(for: channel.receiver == client ? .developerRequest : .userRequest)
    }

    /// - Parameters:
    ///   - reason: Why the channel is left.
    ///   - explanation: For people, if there is more to say.
    mutating func leave(for reason: LeaveReason, explanation: String? = nil) {
        endUse(.channelLeft, .channelLeft)
        forgetChannel(for: reason, explanation: explanation)
        // What has interrupted its session is not told to anybody any more.
        audio.reset()
        effects.publish(.channelLeft(leaveReason: reason, explanation: explanation))
    }

    /// An application that is not attached is notified when it attaches.
    mutating func forgetChannel(for reason: LeaveReason, explanation: String?) {
        guard let channel else { return }
        lastPushToken = channel.pushToken
        self.channel = nil
        guard channel.receiver == nil, let owner = channel.owner?.identifier,
            attachments.newest(of: owner) == nil
        else { return }
        let left = ApplicationInterface.Left(
            channelID: channel.channelID,
            reason: reason,
            explanation: explanation
        )
        leftChannels.insert(LeftChannel(application: owner, left: left))
    }

    mutating func setDescriptor(
        _ request: ChannelInterface.DescriptorRequest,
        from client: ClientID
    ) throws(RefusalCause) {
        try Self.check(request.name, longest: request.name)
        let channel = try channel(request.channelID, for: client)
        let image = image(request.image, of: request.name)
        let descriptor = Descriptor(name: request.name, image: image)
        self.channel?.descriptor = descriptor
        self.channel?.isDescriptorLost = false
        if descriptor != channel.descriptor {
            effects.publish(.descriptorChanged(name: request.name, image: image?.summary))
        }
    }

    mutating func policyChanged(_ policy: Policy) {
        surroundings.policy = policy
        guard let channel, let refusal = policy.restriction(of: channel.policyID) else { return }
        leave(for: .systemPolicy, explanation: refusal.reason)
    }
}

extension JoinedChannel {
    /// There is one channel at a time.
    fileprivate var limit: RefusalCause {
        .channelLimit(description, holder: application?.name ?? owner?.name)
    }
}
