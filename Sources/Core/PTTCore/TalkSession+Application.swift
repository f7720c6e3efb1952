import PTTMessages

extension TalkSession {
    mutating func attach(
        _ request: ApplicationInterface.AttachRequest,
        _ processID: Int,
        _ newToken: PushToken,
        from client: ClientID
    ) throws(RefusalCause) -> Answer {
        let identifier = request.identifier
        let text = identifier.rawValue
        try Self.check(text, longest: text, request.name, request.activation?.name ?? "")
        if attachments[client] != nil || channel?.receiver == client { throw .attachedAlready }
        // It could no longer end the transmission: an application has no access to the channel of another.
        if lease?.holder == client { throw .holdsTransmission }
        if surroundings.policy.excluded.contains(identifier) { throw .forbidden(identifier) }
        var process = ApplicationProcess(
            owner: Owner(identifier: identifier, name: request.name, activation: request.activation),
            processID: processID,
            format: request.format ?? .standard,
            isForeground: request.isForeground ?? isPresumedForeground(identifier, in: processID),
            pushToken: newToken
        )
        startedApplications.remove { $0 == identifier }
        var left: ApplicationInterface.Left?
        var restored: ApplicationInterface.Restored?
        if let channel, channel.owner?.identifier == identifier {
            process.pushToken = nil
            // One that has a receiver gets it once that has disconnected, also if that is an earlier
            // connection of the same process.
            if channel.receiver == nil {
                restored = channel.restored
                restore(to: process, of: client)
            }
        } else {
            left = leftChannels.elements.first { $0.application == identifier }?.left
            leftChannels.remove { $0.application == identifier }
        }
        attachments[client] = process
        return .attached(
            process.pushToken ?? channel?.pushToken ?? newToken,
            process.format,
            restored: restored,
            left: left,
            isForeground: process.isForeground
        )
    }

    /// Returns true if an application that does not report it is presumed to be in the foreground: one that
    /// the core has started is in the background, and a process that attaches again is where it was.
    private func isPresumedForeground(_ application: ApplicationID, in processID: Int) -> Bool {
        attachments.newest(of: application, in: processID)?.process.isForeground
            ?? !startedApplications.contains(application)
    }

    /// Gives the channel back to its application: it receives the pushes that wait for it, its channel, and
    /// the events that it missed.
    private mutating func restore(to process: ApplicationProcess, of client: ClientID) {
        let starting = channel?.starting
        channel?.presence = .running(RunningApplication(process, client: client, owner: process.owner))
        channel?.deliver(starting?.pushes ?? [], effects: &effects)
        if let channel {
            effects.publish(.channelJoined(channel: channel.description, joinReason: .channelRestoration))
        }
        for event in starting?.missed ?? [] { effects.notify(client, event) }
    }

    mutating func clientDisconnected(_ client: ClientID) {
        attachments[client] = nil
        clientsWithoutAudio.remove(client)
        release { $0.holder == client }
        guard channel?.receiver == client else {
            if lease?.holder == client { endTransmission(.connectionLost) }
            return
        }
        endUse(.applicationGone, .applicationGone)
        let owner = channel?.owner
        if let owner, let heir = attachments.newest(of: owner.identifier) {
            return handOver(to: heir.process, of: heir.client)
        }
        let presence = reconnecting(owner)
        channel?.presence = presence
        effects.publish(.applicationDetached)
    }

    /// Ends what cannot outlive the channel, or the process that received its audio.
    mutating func endUse(_ cause: EndCause, _ refusal: RefusalCause) {
        endChannelTransmission(cause)
        clearParticipant(refusal)
        channel?.finishPushes(explanation: refusal.reason, effects: &effects)
        endAudio()
    }

    /// Gives the channel to another attachment of its application.
    mutating func handOver(to process: ApplicationProcess, of client: ClientID) {
        attachments[client]?.pushToken = nil
        if let channel {
            effects.notify(client, .channelRestored(restored: channel.restored, pushToken: channel.pushToken))
        }
        restore(to: process, of: client)
    }

    // MARK: Settings of an application

    mutating func setForeground(
        _ request: ApplicationInterface.ForegroundRequest,
        from client: ClientID
    ) throws(RefusalCause) {
        guard attachments[client] != nil else { throw .notAttached }
        attachments[client]?.isForeground = request.isForeground
    }

    mutating func setServiceStatus(
        _ request: ApplicationInterface.ServiceStatusRequest,
        from client: ClientID
    ) throws(RefusalCause) {
        guard request.status != .unknown else { throw .unknownValue }
        let channel = try ownChannel(request.channelID, of: client)
        self.channel?.running?.serviceStatus = request.status
        if channel.running?.serviceStatus != request.status {
            effects.publish(.serviceStatusChanged(serviceStatus: request.status))
        }
    }

    mutating func setTransmissionMode(
        _ request: ApplicationInterface.TransmissionModeRequest,
        from client: ClientID
    ) throws(RefusalCause) {
        guard request.mode != .unknown else { throw .unknownValue }
        let channel = try ownChannel(request.channelID, of: client)
        self.channel?.transmissionMode = request.mode
        if channel.transmissionMode != request.mode {
            effects.publish(.transmissionModeChanged(transmissionMode: request.mode))
        }
        yieldTransmission()
        refuseUnheard()
    }

    mutating func setAccessoryEvents(
        _ request: ApplicationInterface.AccessoryEventsRequest,
        from client: ClientID
    ) throws(RefusalCause) {
        let channel = try ownChannel(request.channelID, of: client)
        self.channel?.areAccessoryEventsEnabled = request.isEnabled
        if channel.areAccessoryEventsEnabled != request.isEnabled {
            effects.publish(.accessoryEventsChanged(isEnabled: request.isEnabled))
        }
    }
}

extension JoinedChannel {
    /// For the application that gets the channel back. It is not asked for a lost descriptor while a push
    /// waits.
    fileprivate var restored: ApplicationInterface.Restored {
        ApplicationInterface.Restored(
            channelID: channelID,
            needsDescriptor: isDescriptorLost && starting?.pushes.isEmpty != false
        )
    }
}
