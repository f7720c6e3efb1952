import PTTCore
import PTTMessages

extension Model {
    /// Semantics, “A push that is not answered”: ours for a service update.
    static func answerTime(_ kind: PushKind) -> Duration { .seconds(kind == .serviceUpdate ? 30 : 5) }

    /// Semantics, “What a push must carry”, “Restoration with a push”, “A participant by a push”,
    /// “A burst of pushes”, “A service update”.
    mutating func push(_ envelope: PushEnvelope) -> String {
        let request = envelope.request
        guard let channel, let owner = channel.ownerID, channel.token == request.token else {
            // Semantics, “The push token”: accepted only while joined. Ours: a token that was issued is
            // distinguished from one that never was.
            let isKnown =
                lastToken == request.token || attachments.values.contains { $0.spareToken == request.token }
            return isKnown ? "unregistered" : "badDeviceToken"
        }
        if power == .shuttingDown { return "unknown" }
        // A program that joined without attaching cannot receive a push.
        if let client = channel.running?.client, attachments[client] == nil { return "unregistered" }
        if request.topic != owner.rawValue + ".voip-ptt" { return "deviceTokenNotForTopic" }
        let kind =
            envelope.content == .readable(isServiceUpdate: true) ? PushKind.serviceUpdate : .pushToTalk
        if let refusal = budget(kind, request.priority) { return refusal }
        counts.pushes += 1
        start()
        switch channel.presence {
        case .running(_, let running, _):
            self.channel?.running?.pushes.append((counts.pushes, kind, now + Self.answerTime(kind)))
            notifications.append(.only(running.client, "pushReceived"))
        case .unowned, .absent, .starting:
            if self.channel?.start == nil {
                notifications.append(.finished(counts.pushes, .undeliverable))
            } else {
                self.channel?.start?.pushes.append((counts.pushes, kind))
            }
        }
        return "accepted"
    }

    /// Semantics, “The budget of service updates”: six urgent ones an hour. Ours: sixteen pushes wait at
    /// most.
    private mutating func budget(_ kind: PushKind, _ priority: Int) -> String? {
        let isUrgent = kind == .serviceUpdate && priority > 5
        channel?.urgent.removeAll { $0 + .seconds(3600) <= now }
        if isUrgent, let urgent = channel?.urgent, urgent.count >= 6 { return "tooManyRequests" }
        if (channel?.running?.pushes.count ?? channel?.start?.pushes.count ?? 0) >= 16 {
            return "tooManyRequests"
        }
        if isUrgent { channel?.urgent.append(now) }
        return nil
    }

    /// Semantics, “A participant by a push”, “A participant while transmitting”,
    /// “A push that stops the transmission”, “Leaving by a push”, “A service update”.
    mutating func finish(_ client: ClientID, _ request: ApplicationInterface.FinishPushRequest) -> String? {
        let id = request.pushID.rawValue
        guard let running = channel?.running, running.client == client else { return "noSuchPush" }
        // Semantics, “A push that stops the transmission”, “A stop without a transmission”: the stop does not
        // depend on the push. However late the answer, it ends the transmission, and the application is
        // notified if there was none.
        if request.endsTransmission {
            if channel?.transmission == nil { notifications.append(.only(client, "endRefused")) }
            endHeard(.stopped, by: .developerRequest)
        }
        // Semantics, “A push that is not answered”: a push that was not answered in time is over.
        guard let push = running.pushes.first(where: { $0.id == id }) else { return "noSuchPush" }
        switch (request.result, push.kind) {
        case (.processed, .serviceUpdate):
            finished(id, .answered)
            return "done"
        case (.leaveChannel, .pushToTalk):
            finished(id, .answered)
            leave(.developerRequest)
            return "done"
        case (.activeRemoteParticipant, .pushToTalk):
            let refusal = request.participant.map { receive($0, fromPush: true) } ?? "noParticipant"
            finished(id, refusal == nil ? .answered : .failed)
            return refusal ?? answerWhenOpen()
        case (_, .serviceUpdate), (.processed, _), (.unknown, _), (_, .unknown):
            finished(id, .failed)
            return "wrongResult"
        }
    }

    mutating func finished(_ id: Int, _ outcome: PushOutcome) {
        channel?.running?.pushes.removeAll { $0.id == id }
        channel?.start?.pushes.removeAll { $0.id == id }
        notifications.append(.finished(id, outcome))
    }

    mutating func endPushes(_ outcome: PushOutcome) {
        for push in channel?.start?.pushes ?? [] { finished(push.id, outcome) }
        for push in channel?.running?.pushes ?? [] { finished(push.id, outcome) }
    }
}
