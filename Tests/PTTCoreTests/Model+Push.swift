import PTTCore
import PTTMessages

extension Model {
    /// C8; ours for a service update.
    static func answerTime(_ kind: PushKind) -> Int { kind == .serviceUpdate ? 30 : 5 }

    /// 1.7, rows 9, 25, 29 and 47.
    mutating func push(_ envelope: PushEnvelope) -> String {
        let request = envelope.request
        guard let channel, let owner = channel.ownerID, channel.token == request.token else {
            // C1, proof 15: accepted only while joined. Ours: a token that was issued is distinguished from one that never was.
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

    /// Six urgent service updates an hour (1.2). Ours: sixteen pushes wait at most.
    private mutating func budget(_ kind: PushKind, _ priority: Int) -> String? {
        let isUrgent = kind == .serviceUpdate && priority > 5
        channel?.urgent.removeAll { $0 + 3600 <= now }
        if isUrgent, let urgent = channel?.urgent, urgent.count >= 6 { return "tooManyRequests" }
        if (channel?.running?.pushes.count ?? channel?.start?.pushes.count ?? 0) >= 16 {
            return "tooManyRequests"
        }
        if isUrgent { channel?.urgent.append(now) }
        return nil
    }

    /// Rows 25, 32, 33, 35 and 47.
    mutating func finish(_ client: ClientID, _ request: ApplicationInterface.FinishPushRequest) -> String {
        let id = request.pushID.rawValue
        guard let running = channel?.running, running.client == client else { return "unknown" }
        // Row 33: the stop does not depend on the push. However late the answer, it ends the transmission, and the
        // application is notified if there was none (row 23).
        if request.endsTransmission {
            if channel?.transmission == nil { notifications.append(.only(client, "endRefused")) }
            endTransmission(.stopped, by: .developerRequest)
        }
        // Row 36, C8: a push that was not answered in time is over.
        guard let push = running.pushes.first(where: { $0.id == id }) else { return "unknown" }
        switch (request.result, push.kind) {
        case (.processed, .serviceUpdate):
            finished(id, .answered)
            return "done"
        case (.leaveChannel, .pushToTalk):
            finished(id, .answered)
            leave(.developerRequest)
            return "done"
        case (.activeRemoteParticipant, .pushToTalk):
            let refusal = request.participant.map { receive($0, fromPush: true) } ?? "unknown"
            finished(id, refusal == nil ? .answered : .failed)
            return refusal ?? "done"
        case (_, .serviceUpdate), (.processed, _), (.unknown, _), (_, .unknown):
            finished(id, .failed)
            return "unknown"
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
