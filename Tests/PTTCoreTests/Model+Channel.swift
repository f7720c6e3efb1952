import PTTCore
import PTTMessages

extension Model {
    /// Semantics, “Joining”, “One channel on the machine”, “Joining in the background”,
    /// “Joining against the policy”.
    mutating func join(
        _ request: ChannelInterface.JoinRequest,
        from client: ClientID,
        newChannelID: ChannelID,
        newToken: PushToken
    ) -> String {
        let attachment = attachments[client]
        // Ours: its audio socket has the frames of its recording.
        let isApplication = attachment != nil || request.application != nil
        if isApplication, recording?.client == client { return "holdsTransmission" }
        if let attachment, !isInForeground(attachment) { return "notInForeground" }
        let identifier =
            attachment?.application ?? request.application.map { ApplicationID(rawValue: $0) }
        if let refusal = forbids(identifier ?? Self.commandLine) { return refusal }
        if let channel { return takeOver(channel, by: identifier, from: client, request) }
        // Semantics, “The push token”: that of the attachment, unless an earlier channel had it.
        let token = attachment?.spareToken ?? newToken
        let owner = owner(client) ?? identifier.map { Owner(id: $0, canBeStarted: false) }
        endLastResort()
        channel = Joined(
            id: request.channelID ?? newChannelID,
            name: request.name,
            token: token,
            presence: owner.map { .running($0, Running(client: client), transmission: nil) } ?? .unowned(nil)
        )
        attachments[client]?.spareToken = nil
        if let identifier { leftWhileAway[identifier] = nil }
        notifications.append(.joined(.developerRequest))
        return "joined"
    }

    /// Semantics, “One channel on the machine”: ours, a client that names the joined channel takes it over if
    /// it has no other application.
    private mutating func takeOver(
        _ channel: Joined,
        by identifier: ApplicationID?,
        from client: ClientID,
        _ request: ChannelInterface.JoinRequest
    ) -> String {
        if request.channelID != channel.id { return "channelLimit" }
        guard let identifier else { return "joined" }
        let isAttached = attachments[client] != nil
        let start = channel.start
        var reason = JoinReason.channelRestoration
        var owner = owner(client)
        switch channel.presence {
        case .running: return "channelLimit"
        case .absent(let old, reconnectionDeadline: _), .starting(let old, _, _):
            guard old.id == identifier else { return "channelLimit" }
            owner = owner ?? old
        case .unowned: reason = .developerRequest
        }
        // Captured frames would go nowhere.
        if withoutAudio.contains(client) { endHeard(.audioConnectionLost) }
        // A client that is not attached receives no pushes, and no other events of its own.
        endPushes(.undeliverable)
        notifications.append(.joined(reason))
        run(client, owner)
        if isAttached, start == nil, self.channel?.transmission != nil {
            // An application that joins during a transmission is notified of its beginning.
            notifications.append(.only(client, "transmissionBegan"))
            if audio == .active { notifications.append(.only(client, "audioActivated")) }
        }
        self.channel?.name = request.name
        self.channel?.hasPicture = request.image != nil
        self.channel?.needsDescriptor = false
        if owner != nil { leftWhileAway[identifier] = nil }
        return "joined"
    }

    /// Semantics, “Joining against the policy”, “A policy that changes”.
    func forbids(_ application: ApplicationID) -> String? {
        if policy.unusable != nil { return "unusablePolicy" }
        if policy.denied.contains(application)
            || policy.excluded.contains(application)
            || policy.allowed?.contains(application) == false
        {
            return "forbidden"
        }
        return policy.isClosed ? "closed" : nil
    }

    /// Semantics, “The channel outlives its application”, “A restart of the core”: the channel is restored
    /// with the core, and its application is started for it.
    mutating func restore(_ saved: SavedChannel, _ descriptor: Descriptor?) {
        // Semantics, “A restart of the core”: read late, it is out of date if a channel is joined, and an
        // application may have attached. Ours: nothing changes at the end of the core.
        if channel != nil || power == .shuttingDown { return }
        let owner = saved.owner.map { Owner(id: $0.identifier, canBeStarted: $0.activation != nil) }
        let heir = owner.flatMap { newest(of: $0.id, where: { _ in true }) }
        if let owner { leftWhileAway[owner.id] = nil }
        if let owner, forbids(owner.id) != nil {
            // Semantics, “A policy that changes”: a rule that appeared while the core did not run. The
            // channel was never joined in this run.
            if heir == nil { leftWhileAway[owner.id] = .systemPolicy }
            lastToken = saved.pushToken
            return
        }
        endLastResort()
        channel = Joined(
            id: saved.channelID,
            name: descriptor?.name ?? saved.owner?.name ?? "",
            hasPicture: descriptor?.image != nil,
            needsDescriptor: descriptor == nil,
            token: saved.pushToken,
            mode: saved.transmissionMode,
            areAccessoryEventsEnabled: saved.areAccessoryEventsEnabled,
            presence: owner.map { .absent($0, reconnectionDeadline: now + .seconds(1)) } ?? .unowned(nil)
        )
        if let heir { return handOver(to: heir) }
        notifications.append(.joined(.channelRestoration))
        start()
    }

    /// Semantics, “A channel that is not joined”: why a request has no access to the joined channel. An
    /// application has access to its own only.
    func noAccess(_ client: ClientID, _ id: ChannelID?) -> String? {
        guard let channel else { return "notJoined" }
        if attachments[client] != nil, channel.running?.client != client { return "notYours" }
        return id ?? channel.id == channel.id ? nil : "otherChannel"
    }

    /// Semantics, “A restored channel that is not wanted”, “Leaving”, “A channel that is not joined”.
    mutating func leave(_ client: ClientID, _ id: ChannelID?) -> String {
        if let refusal = noAccess(client, id) { return refusal }
        leave(channel?.running?.client == client ? .developerRequest : .userRequest)
        return "done"
    }

    /// Semantics, “Leaving while transmitting”: transmission and reception end first.
    mutating func leave(_ reason: LeaveReason) {
        endHeard(.channelLeft)
        endReception("channelLeft")
        endPushes(channel?.running == nil ? .undeliverable : .unanswered)
        updateAudio()
        lastToken = channel?.token
        if let owner = channel?.ownerID, !attachments.values.contains(where: { $0.application == owner }),
            channel?.running == nil
        {
            leftWhileAway[owner] = reason
        }
        channel = nil
        isInterruptedByCall = false
        notifications.append(.left(reason))
    }

    // MARK: Settings

    mutating func setDescriptor(_ client: ClientID, _ request: ChannelInterface.DescriptorRequest) -> String {
        if let refusal = noAccess(client, request.channelID) { return refusal }
        let old = channel
        channel?.name = request.name
        channel?.hasPicture = request.image != nil
        channel?.needsDescriptor = false
        if old?.name != request.name || old?.hasPicture != (request.image != nil) {
            notifications.append(.kind("descriptorChanged"))
        }
        return "done"
    }

    /// Semantics, “A channel that is not joined”: ours, only the application changes settings.
    private func noControl(_ client: ClientID, _ id: ChannelID?) -> String? {
        noAccess(client, id) ?? (channel?.running?.client == client ? nil : "notYours")
    }

    /// Semantics, “The status changes while transmitting”: a transmission in progress goes on.
    mutating func set(_ client: ClientID, _ request: ApplicationInterface.ServiceStatusRequest) -> String {
        if let refusal = noControl(client, request.channelID) { return refusal }
        if channel?.running?.status != request.status { notifications.append(.kind("serviceStatusChanged")) }
        channel?.running?.status = request.status
        return "done"
    }

    /// Semantics, “The mode changes while transmitting”: the same for half duplex during transmission and
    /// reception.
    mutating func set(_ client: ClientID, _ request: ApplicationInterface.TransmissionModeRequest) -> String {
        if let refusal = noControl(client, request.channelID) { return refusal }
        if channel?.mode != request.mode { notifications.append(.kind("transmissionModeChanged")) }
        channel?.mode = request.mode
        let isTalkedOver =
            request.mode == .halfDuplex && channel?.remote != nil
            && channel?.transmission?.role != .emergency
        if request.mode == .listenOnly || isTalkedOver { endHeard(.modeChanged) }
        refuseUnheard()
        return "done"
    }

    mutating func set(_ client: ClientID, _ request: ApplicationInterface.AccessoryEventsRequest) -> String {
        if let refusal = noControl(client, request.channelID) { return refusal }
        if channel?.areAccessoryEventsEnabled != request.isEnabled {
            notifications.append(.kind("accessoryEventsChanged"))
        }
        channel?.areAccessoryEventsEnabled = request.isEnabled
        return "done"
    }

    /// Semantics, “A participant by the application”, “Another participant”, “The end of a participant”,
    /// “A participant while transmitting”.
    ///
    /// - Returns: Nil if the answer waits for the speaker.
    mutating func set(_ client: ClientID, _ request: ApplicationInterface.ParticipantRequest) -> String? {
        if let refusal = noControl(client, request.channelID) { return refusal }
        guard let speaker = request.participant else {
            if channel?.remote == nil { return "noRemoteParticipant" }
            endReception("participantCleared")
            return "done"
        }
        return receive(speaker, fromPush: false) ?? answerWhenOpen()
    }
}
