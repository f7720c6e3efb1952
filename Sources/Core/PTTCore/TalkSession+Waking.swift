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
            descriptor ?? fallback,
            saved.owner.map { presence(of: $0, turn.now) } ?? .unowned
        )
        channel.isDescriptorLost = descriptor == nil
        if saved.transmissionMode != .unknown { channel.transmissionMode = saved.transmissionMode }
        channel.areAccessoryEventsEnabled = saved.areAccessoryEventsEnabled
        if let refusal = policy.restriction(of: channel.policyID) {
            turn.log("the saved channel is left: \(refusal.reason)")
            endedToken = saved.pushToken
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
        startIfAbsent(&turn)
    }

    private func presence(of owner: Owner, _ now: MonotonicTime) -> Presence {
        if let (client, program) = attachments.newest(of: owner.identifier) {
            return .running(Running(client, program, belongsTo: owner))
        }
        // Its process may have outlived an earlier run of the core.
        return .absent(Absence(owner: owner, returnEnd: now + Absence.returnTime))
    }

    /// Starts the channel's application, if it is not there and said how. Its own process gets the time to come back by
    /// itself first.
    mutating func startIfAbsent(_ turn: inout Turn) {
        guard case .absent(let absence) = channel?.presence, let activation = absence.owner.activation
        else { return }
        startCount += 1
        let startID = StartID(rawValue: startCount)
        let start = Start(startID, absence.owner, activation, absence.returnEnd, at: turn.now)
        change { $0.presence = .starting(start) }
        turn.publish(.applicationStarting)
        launch(&turn)
    }

    private mutating func launch(_ turn: inout Turn) {
        guard var start = channel?.start, let launch = start.launch, turn.now >= launch else { return }
        start.launch = nil
        change { $0.presence = .starting(start) }
        awaited.insert(start.owner.identifier)
        turn.start = .startApplication(start.startID, start.owner.identifier, start.activation)
    }

    mutating func startFailed(_ startID: StartID, _ reason: String, _ turn: inout Turn) {
        guard let start = channel?.start, start.startID == startID else { return }
        awaited.remove { $0 == start.owner.identifier }
        giveUp(start, "\(start.owner.identifier.rawValue.traced) cannot be started: \(reason)", reason, &turn)
    }

    mutating func followStart(_ turn: inout Turn) {
        guard let start = channel?.start, turn.now >= start.deadline else { return launch(&turn) }
        let seconds = Start.limit.components.seconds
        let reason = "\(start.owner.name) was started and did not attach within \(seconds) s"
        giveUp(start, reason, reason, &turn)
    }

    /// What waited for the application ends, and its channel stays: the next press or push tries again.
    ///
    /// An application of Apple's framework that is launched and makes no channel manager loses its channel. Here an
    /// application has launched when it attaches, and to attach is to make the manager; of a start that has not come to
    /// that nobody can tell whether it is queued, slow, or failed.
    private mutating func giveUp(_ start: Start, _ remark: String, _ reason: String, _ turn: inout Turn) {
        turn.log(remark)
        change { channel in
            channel.endTransmission(.applicationUnavailable, by: .unknown, &turn)
            channel.finishPushes(.undeliverable, reason, &turn)
            channel.presence = .absent(Absence(owner: start.owner, returnEnd: turn.now))
        }
        turn.publish(.applicationDetached)
    }
}
