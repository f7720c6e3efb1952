import PTTMessages

extension TalkSession {
    mutating func restored(_ saved: SavedChannel, _ descriptor: Descriptor?, _ turn: inout Turn) {
        guard case .notJoined = state else { return }
        self.saved = saved
        savedDescriptor = descriptor
        let fallback = Descriptor(name: saved.owner?.name ?? "Push to Talk", image: nil)
        var channel = JoinedChannel(
            saved.channelID,
            saved.pushToken,
            saved.owner,
            descriptor ?? fallback
        )
        channel.isDescriptorLost = descriptor == nil
        if saved.transmissionMode != .unknown { channel.transmissionMode = saved.transmissionMode }
        channel.areAccessoryEventsEnabled = saved.areAccessoryEventsEnabled
        if let refusal = policy.restriction(of: channel.policyID) {
            turn.remark("the saved channel is left: \(refusal.reason)")
            if let owner = saved.owner?.identifier {
                let left = ApplicationInterface.Left(
                    channelID: saved.channelID,
                    reason: .systemPolicy,
                    explanation: refusal.reason
                )
                leftChannels.remember(left, of: owner)
            }
            return
        }
        state = .joined(channel)
        turn.publish(.channelJoined(channel.description, .channelRestoration))
        if let owner = channel.owner { startIfAbsent(owner, &turn) }
    }

    /// Starts the channel's application, if it is not there and said how.
    mutating func startIfAbsent(_ owner: Owner, _ turn: inout Turn) {
        guard let activation = owner.activation, channel?.presence == .absent else { return }
        startCount += 1
        let startID = StartID(rawValue: startCount)
        let start = JoinedChannel.Start(startID: startID, deadline: turn.now + JoinedChannel.Start.limit)
        change { $0.presence = .starting(start) }
        turn.publish(.applicationStarting)
        turn.start = .startApplication(startID, owner.identifier, activation)
    }

    mutating func startFailed(_ startID: StartID, _ reason: String, _ turn: inout Turn) {
        guard channel?.start?.startID == startID, let application = channel?.owner?.identifier else { return }
        turn.remark("\(application.rawValue.traced) cannot be started: \(reason)")
        change { channel in
            channel.endTransmission(.applicationUnavailable, by: .unknown, &turn)
            channel.finishPushes(.undeliverable, reason, &turn)
            channel.presence = .absent
        }
        turn.publish(.applicationDetached)
    }

    /// The application was started and did not come: its channel is torn down, as an application of Apple's framework
    /// loses its channel if it makes no channel manager.
    mutating func giveUpStart(_ turn: inout Turn) {
        guard let owner = channel?.owner else { return }
        let seconds = JoinedChannel.Start.limit.components.seconds
        let reason = "\(owner.name) was started and did not attach within \(seconds) s"
        change { channel in
            channel.endTransmission(.applicationUnavailable, by: .unknown, &turn)
            channel.finishPushes(.undeliverable, reason, &turn)
        }
        leave(.unknown, reason, &turn)
    }
}
