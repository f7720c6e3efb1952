import PTTMessages

extension TalkSession {
    mutating func restored(_ saved: SavedChannel, descriptor: Descriptor?) {
        // It may have been read late: what is joined meanwhile counts.
        guard self.channel == nil, surroundings.power != .shuttingDown else { return }
        if let owner = saved.owner { leftChannels.remove { $0.application == owner.identifier } }
        effects.standing.channel = saved
        effects.standing.descriptor = descriptor
        let mode = saved.transmissionMode
        let channel = JoinedChannel(
            channelID: saved.channelID,
            pushToken: saved.pushToken,
            descriptor: descriptor ?? Descriptor(name: saved.owner?.name ?? "Push to Talk", image: nil),
            isDescriptorLost: descriptor == nil,
            // Its process may have outlived an earlier run of the core.
            presence: reconnecting(saved.owner),
            transmissionMode: mode == .unknown ? .halfDuplex : mode,
            areAccessoryEventsEnabled: saved.areAccessoryEventsEnabled
        )
        if let refusal = surroundings.policy.restriction(of: channel.policyID) {
            self.channel = channel
            effects.log("the saved channel is left: \(refusal.reason)")
            return forgetChannel(for: .systemPolicy, explanation: refusal.reason)
        }
        // As a join does.
        endUse(.channelLeft, .channelLeft)
        audio.reset()
        self.channel = channel
        if let owner = saved.owner, let heir = attachments.newest(of: owner.identifier) {
            return handOver(to: heir.process, of: heir.client)
        }
        effects.publish(.channelJoined(channel: channel.description, joinReason: .channelRestoration))
        startIfAbsent()
    }

    /// The presence of an application without a connection, whose process may still reconnect.
    func reconnecting(_ owner: Owner?) -> ApplicationPresence {
        guard let owner else { return .unowned }
        let deadline = effects.now + AbsentApplication.reconnectionTime
        return .absent(AbsentApplication(owner: owner, reconnectionDeadline: deadline))
    }

    /// Starts the channel's application, if it is absent and has named an activation. A process of it has
    /// time to reconnect first.
    mutating func startIfAbsent() {
        guard case .absent(let absent) = channel?.presence, let activation = absent.owner.activation
        else { return }
        startCount += 1
        let starting = StartingApplication(
            startID: StartID(rawValue: startCount),
            owner: absent.owner,
            activation: activation,
            launchTime: absent.reconnectionDeadline,
            deadline: effects.now + StartingApplication.limit
        )
        channel?.presence = .starting(starting)
        effects.publish(.applicationStarting)
        launch()
    }

    private mutating func launch() {
        guard let starting = channel?.starting, let launchTime = starting.launchTime,
            effects.now >= launchTime
        else { return }
        channel?.starting?.launchTime = nil
        startedApplications.insert(starting.owner.identifier)
        effects.applicationStart = .startApplication(
            starting.startID,
            starting.owner.identifier,
            by: starting.activation
        )
    }

    mutating func applicationStartFailed(_ startID: StartID, reason: String) {
        guard let starting = channel?.starting, starting.startID == startID else { return }
        let identifier = starting.owner.identifier
        startedApplications.remove { $0 == identifier }
        effects.log("\(identifier.rawValue.traced) cannot be started: \(reason)")
        giveUp(starting, reason: reason)
    }

    /// Orders a start that is due, and gives up a start that has reached its limit.
    mutating func checkStart() {
        guard let starting = channel?.starting, effects.now >= starting.deadline else { return launch() }
        let seconds = StartingApplication.limit.components.seconds
        let reason = "\(starting.owner.name) was started and did not attach within \(seconds) s"
        effects.log(reason)
        giveUp(starting, reason: reason)
    }

    /// Ends what waited for the application. Its channel stays: the next press or push starts it again.
    ///
    /// An application of Apple's framework that is launched and makes no channel manager loses its channel.
    /// Here an application has launched once it attaches, and attaching is making the manager; of a start
    /// that has not led to an attachment the core cannot know whether it is queued, slow, or failed.
    private mutating func giveUp(_ starting: StartingApplication, reason: String) {
        endChannelTransmission(.applicationUnavailable)
        channel?.finishPushes(explanation: reason, effects: &effects)
        let absent = AbsentApplication(owner: starting.owner, reconnectionDeadline: effects.now)
        channel?.presence = .absent(absent)
        effects.publish(.applicationDetached)
    }
}
