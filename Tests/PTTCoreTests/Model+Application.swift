import PTTCore
import PTTMessages

extension Model {
    /// Semantics, “Restoration without a push”, “Restoration with a push”,
    /// “The channel outlives its application”.
    mutating func attach(
        _ request: ApplicationInterface.AttachRequest,
        from client: ClientID,
        in process: Int,
        newToken token: PushToken
    ) -> String {
        // Ours: a connection attaches once, and is an application in one way only.
        if attachments[client] != nil || channel?.running?.client == client {
            return "attachedAlready"
        }
        let identifier = request.identifier
        // Ours: an application has no access to the channel of another, and a client that transmits must be
        // able to end that.
        if transmission?.client == client { return "holdsTransmission" }
        if policy.excluded.contains(identifier) { return "forbidden" }
        // An application that the core has started is in the background until it says otherwise. Ours: a
        // process that attaches again is where it was.
        let earlier = newest(of: identifier) { $0.process == process }
        let wasInFront = earlier.flatMap { attachments[$0]?.isForeground }
        let isForeground = request.isForeground ?? wasInFront ?? !startedApplications.contains(identifier)
        startedApplications.remove(identifier)
        attachments[client] = Attachment(
            application: identifier,
            process: process,
            canBeStarted: request.activation != nil,
            format: request.format ?? .standard,
            isForeground: isForeground,
            spareToken: token
        )
        guard let channel, channel.ownerID == identifier else {
            return leftWhileAway.removeValue(forKey: identifier).map { "attached left \($0)" } ?? "attached"
        }
        attachments[client]?.spareToken = nil
        // Semantics, “Several processes of one application”: the present one keeps the channel until it
        // disconnects.
        if channel.running != nil { return "attached" }
        return restore(to: client)
    }

    /// Semantics, “Restoration with a push”: the push comes first, and no descriptor is asked for while one
    /// waits. Then come the channel and the events of a transmission that the application has missed.
    private mutating func restore(to client: ClientID) -> String {
        let start = channel?.start
        let pushes = start?.pushes ?? []
        notifications += pushes.map { _ in .only(client, "pushReceived") }
        notifications.append(.joined(.channelRestoration))
        notifications += (start?.missed ?? []).map { .only(client, $0) }
        run(client, owner(client), pushes: pushes)
        let needsDescriptor = channel?.needsDescriptor == true && pushes.isEmpty
        return needsDescriptor ? "attached restored needsDescriptor" : "attached restored"
    }

    func newest(of application: ApplicationID, where isMeant: (Attachment) -> Bool) -> ClientID? {
        attachments.filter { $0.value.application == application && isMeant($0.value) }
            .keys.max { $0.rawValue < $1.rawValue }
    }

    /// The channel's application is this client from now on.
    mutating func run(_ client: ClientID, _ owner: Owner?, pushes: [(id: Int, kind: PushKind)] = []) {
        var running = Running(client: client)
        running.pushes = pushes.map { ($0.id, $0.kind, now + Self.answerTime($0.kind)) }
        let transmission = channel?.transmission
        channel?.presence = .running(owner, running, transmission: transmission)
        attachments[client]?.spareToken = nil
    }

    /// The application of an attachment.
    func owner(_ client: ClientID) -> Owner? {
        attachments[client].map { Owner(id: $0.application, canBeStarted: $0.canBeStarted) }
    }

    mutating func setForeground(_ client: ClientID, _ isForeground: Bool) -> String {
        guard attachments[client] != nil else { return "notAttached" }
        attachments[client]?.isForeground = isForeground
        return "done"
    }

    /// Semantics, “A crash of the application”, “Several processes of one application”: transmission and
    /// session do not outlive the process; the channel does, and is handed over to the newest other
    /// attachment of its application, if there is one.
    mutating func disconnected(_ client: ClientID) {
        attachments[client] = nil
        withoutAudio.remove(client)
        guard let channel, channel.running?.client == client else {
            release { $0.by == client }
            // The lease ends with its connection.
            if transmission?.client == client { endTransmission(.connectionLost) }
            return
        }
        endApplication()
        guard case .running(let owner, _, _) = channel.presence else { return }
        if let owner, let heir = newest(of: owner.id, where: { _ in true }) {
            handOver(to: heir)
        } else {
            self.channel?.presence =
                owner.map { .absent($0, reconnectionDeadline: now + .seconds(1)) } ?? .unowned(nil)
            notifications.append(.kind("applicationDetached"))
        }
    }

    /// Semantics, “The push token”: it may have received another than the channel's.
    mutating func handOver(to heir: ClientID) {
        notifications += [.only(heir, "channelRestored"), .joined(.channelRestoration)]
        run(heir, owner(heir))
    }

    /// Semantics, “A crash of the application”: no transmission, reception or push outlives the process.
    private mutating func endApplication() {
        endHeard(.applicationGone)
        endReception("applicationGone")
        endPushes(.unanswered)
        updateAudio()
    }

    // MARK: Starting

    /// Semantics, “A press starts the application”: its process has a second to reconnect; a second instance
    /// would race it.
    mutating func start() {
        guard case .absent(let owner, let reconnectionDeadline) = channel?.presence, owner.canBeStarted else {
            return
        }
        counts.starts += 1
        let start = Start(
            number: counts.starts,
            deadline: now + .seconds(10),
            launch: .waiting(until: reconnectionDeadline)
        )
        channel?.presence = .starting(owner, start, transmission: nil)
        notifications.append(.kind("applicationStarting"))
        launch()
    }

    private mutating func launch() {
        guard case .starting(let owner, var start, let transmission) = channel?.presence else { return }
        guard case .waiting(let until) = start.launch, now >= until else { return }
        start.launch = .ordered
        channel?.presence = .starting(owner, start, transmission: transmission)
        startedApplications.insert(owner.id)
        isStartOrdered = true
    }

    /// Semantics, “An application that makes no manager”: the core cannot observe a launch, and a start that
    /// was queued, slow or refused is none. The channel stays, and the next press starts it again.
    mutating func startFailed(_ number: Int) {
        guard let start = channel?.start, start.number == number else { return }
        if let owner = channel?.ownerID { startedApplications.remove(owner) }
        giveUpStart()
    }

    private mutating func giveUpStart() {
        guard case .starting(let owner, _, _) = channel?.presence else { return }
        endHeard(.applicationUnavailable)
        endPushes(.undeliverable)
        channel?.presence = .absent(owner, reconnectionDeadline: now)
        notifications.append(.kind("applicationDetached"))
    }

    mutating func timePassed() {
        if let start = channel?.start {
            if now >= start.deadline { giveUpStart() } else { launch() }
        }
        for push in channel?.running?.pushes ?? [] where now >= push.until { finished(push.id, .unanswered) }
        checkGate()
        checkTimeLimit()
    }
}
