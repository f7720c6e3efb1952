import PTTCore
import PTTMessages

extension Model {
    mutating func attach(
        _ client: ClientID,
        _ request: ApplicationInterface.AttachRequest,
        _ token: PushToken
    )
        -> String
    {
        if isOver { return "unknown" }
        if attached[client] != nil || channel?.holder == client { return "unknown" }
        if talker?.client == client { return "transmissionInProgress" }
        if policy.excluded.contains(request.identifier) { return "deviceManagementRestriction" }
        attached[client] = Attached(
            application: request.identifier,
            canBeStarted: request.activation != nil,
            isInFront: request.isForeground ?? !awaited.contains(request.identifier),
            token: token
        )
        awaited.remove(request.identifier)
        if channel?.owner == request.identifier, channel?.holder != nil {
            attached[client]?.isTokenUsed = true
            return "attached"
        }
        guard channel?.owner == request.identifier else {
            return leftAway.removeValue(forKey: request.identifier).map { "attached left \($0)" }
                ?? "attached"
        }
        for index in pushes.indices {
            told.append(.alone(client, "pushReceived"))
            pushes[index].until = now + (pushes[index].kind == .serviceUpdate ? 30 : 5)
        }
        told.append(.joined(.channelRestoration))
        told += (channel?.missed ?? []).map { .alone(client, $0) }
        channel?.missed = []
        channel?.holder = client
        channel?.isStartingUntil = nil
        channel?.launchAt = nil
        channel?.canBeStarted = request.activation != nil
        attached[client]?.isTokenUsed = true
        return pushes.isEmpty && channel?.needsDescriptor == true
            ? "attached restored needsDescriptor" : "attached restored"
    }

    mutating func join(
        _ client: ClientID,
        _ request: CoreInterface.JoinRequest,
        _ fresh: ChannelID,
        _ token: PushToken
    ) -> String {
        if isOver { return "unknown" }
        let application = attached[client]
        if let application, !isSeen(application) { return "appNotForeground" }
        let identifier = application?.application ?? request.application.map { ApplicationID(rawValue: $0) }
        if let refusal = forbids(identifier ?? Policy.commandLine) { return refusal }
        if let channel {
            if request.channelID != channel.id { return "channelLimitReached" }
            guard let identifier else { return "joined" }
            if channel.holder != nil || channel.owner != nil && channel.owner != identifier {
                return "channelLimitReached"
            }
            come(client, identifier, application, request)
            return "joined"
        }
        channel = Joined(
            id: request.channelID ?? fresh,
            name: request.name,
            owner: identifier,
            canBeStarted: application?.canBeStarted ?? false,
            holder: identifier == nil ? nil : client,
            token: application.flatMap { $0.isTokenUsed ? nil : $0.token } ?? token
        )
        attached[client]?.isTokenUsed = true
        if let identifier { leftAway[identifier] = nil }
        told.append(.joined(.developerRequest))
        return "joined"
    }

    /// An application comes to a channel that has none, or back to its own.
    private mutating func come(
        _ client: ClientID,
        _ identifier: ApplicationID,
        _ application: Attached?,
        _ request: CoreInterface.JoinRequest
    ) {
        told.append(.joined(channel?.owner == identifier ? .channelRestoration : .developerRequest))
        if let owner = application == nil ? channel?.owner : identifier { leftAway[owner] = nil }
        channel?.holder = client
        channel?.name = request.name
        channel?.hasPicture = false
        channel?.needsDescriptor = false
        guard let application else { return }
        if talker != nil { told.append(.alone(client, "transmissionBegan")) }
        if talker != nil, audio == .active { told.append(.alone(client, "audioActivated")) }
        channel?.owner = identifier
        channel?.canBeStarted = application.canBeStarted
        attached[client]?.isTokenUsed = true
    }

    mutating func restore(_ saved: SavedChannel, _ descriptor: Descriptor?) {
        channel = Joined(
            id: saved.channelID,
            name: descriptor?.name ?? saved.owner?.name ?? "",
            owner: saved.owner?.identifier,
            canBeStarted: saved.owner?.activation != nil,
            token: saved.pushToken
        )
        channel?.mode = saved.transmissionMode
        channel?.hasButtons = saved.areAccessoryEventsEnabled
        channel?.hasPicture = descriptor?.image != nil
        channel?.needsDescriptor = descriptor == nil
        channel?.returnUntil = now + 1
        told.append(.joined(.channelRestoration))
        if channel?.canBeStarted == true { start() }
    }

    /// Whether the channel that a request means is there, and is the application's if one asks.
    func means(_ client: ClientID, _ id: ChannelID?) -> Bool {
        guard let channel, id ?? channel.id == channel.id else { return false }
        guard attached[client] != nil else { return true }
        return channel.holder == client
    }

    mutating func leave(_ client: ClientID, _ id: ChannelID?) -> String {
        guard means(client, id) else { return "channelNotFound" }
        leave(channel?.holder == client ? .developerRequest : .userRequest)
        return "done"
    }

    mutating func leave(_ reason: LeaveReason) {
        silence(.channelLeft)
        clearSpeaker("channelNotFound")
        endPushes(channel?.holder == nil ? .undeliverable : .unanswered)
        lastToken = channel?.token
        if let owner = channel?.owner, channel?.holder == nil,
            !attached.values.contains(where: { $0.application == owner })
        {
            leftAway[owner] = reason
        }
        channel = nil
        graceUntil = nil
        urgent = []
        told.append(.left(reason))
    }

    mutating func rename(_ client: ClientID, _ request: CoreInterface.DescriptorRequest) -> String {
        guard means(client, request.channelID) else { return "channelNotFound" }
        let isSame = channel?.name == request.name && channel?.hasPicture == (request.image != nil)
        channel?.name = request.name
        channel?.hasPicture = request.image != nil
        channel?.needsDescriptor = false
        if !isSame { told.append(.word("descriptorChanged")) }
        return "done"
    }

    mutating func front(_ client: ClientID, _ isForeground: Bool) -> String {
        attached[client]?.isInFront = isForeground
        return "done"
    }

    mutating func set(
        _ client: ClientID,
        _ change: (inout Joined) -> Void,
        told news: (Joined, Joined) -> String?
    ) -> String {
        guard let old = channel, old.holder == client else { return "channelNotFound" }
        var new = old
        change(&new)
        channel = new
        if let news = news(old, new) { told.append(.word(news)) }
        return "done"
    }

    mutating func changeMode(_ client: ClientID, _ mode: TransmissionMode) -> String {
        let answer = set(client) {
            $0.mode = mode
        } told: {
            $0.mode == $1.mode ? nil : "transmissionModeChanged"
        }
        if answer == "done", mode == .listenOnly || mode == .halfDuplex && channel?.speaker != nil {
            silence(.modeChanged)
        }
        return answer
    }

    mutating func participant(_ client: ClientID, _ speaker: ApplicationInterface.Speaker?) -> String {
        guard channel?.holder == client else { return "channelNotFound" }
        if speaker == nil, channel?.speaker == nil { return "transmissionNotFound" }
        guard let speaker else {
            clearSpeaker()
            return "done"
        }
        if let refusal = speak(speaker) { return refusal }
        guard channel?.isOpening == true else { return "done" }
        owed += 1
        return "later"
    }

    /// - Returns: Why nobody can talk.
    mutating func speak(_ speaker: ApplicationInterface.Speaker) -> String? {
        if channel?.mode == .halfDuplex, talker != nil { return "transmissionInProgress" }
        if isOver || isSuspending || !hasAudioServer || isAudioLost { return "unknown" }
        if channel?.speaker == nil || isSpeakerLost { channel?.isOpening = true }
        if channel?.speaker != speaker.name {
            channel?.speaker = speaker.name
            told.append(.word("participantChanged"))
        }
        isSpeakerLost = false
        return nil
    }

    mutating func disconnected(_ client: ClientID) {
        let isApplication = channel?.holder == client
        attached[client] = nil
        audioLost.remove(client)
        release { $0.by == client }
        if isApplication {
            silence(.applicationGone)
            clearSpeaker()
            endPushes(.unanswered)
            let others = attached.filter { $0.value.application == channel?.owner }.keys
            channel?.holder = others.max { $0.rawValue < $1.rawValue }
            channel?.returnUntil = now + 1
            channel?.status = .ready
            channel?.pressed = []
            graceUntil = nil
            guard let holder = channel?.holder else { return told.append(.word("applicationDetached")) }
            channel?.canBeStarted = attached[holder]?.canBeStarted ?? false
            attached[holder]?.isTokenUsed = true
            told.append(.alone(holder, "channelRestored"))
            told.append(.joined(.channelRestoration))
        } else if talker?.client == client {
            silence(.connectionLost)
        }
    }
}
