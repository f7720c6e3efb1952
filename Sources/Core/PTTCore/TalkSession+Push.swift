import PTTMessages

extension TalkSession {
    mutating func push(_ envelope: PushEnvelope) -> Answer {
        let kind: PushKind
        do throws(PushRejection) {
            kind = try validate(envelope)
        } catch {
            return .rejected(error)
        }
        pushCount += 1
        let pushID = PushID(rawValue: pushCount)
        let isHighPriority = envelope.request.priority > 5
        startIfAbsent()
        if kind == .serviceUpdate, isHighPriority { channel?.budget.spend(at: effects.now) }
        let push = Push(
            pushID: pushID,
            kind: kind,
            payload: envelope.request.payload,
            isHighPriority: isHighPriority,
            remainingHighPriorityBudget: channel?.budget.remaining(at: effects.now) ?? 0
        )
        channel?.enqueue(push, effects: &effects)
        return .accepted(pushID)
    }

    /// - Returns: The kind of the push, if it is accepted.
    private func validate(_ envelope: PushEnvelope) throws(PushRejection) -> PushKind {
        let request = envelope.request
        guard var channel, channel.pushToken == request.token, let owner = channel.owner
        else { throw isKnown(request.token) ? .unregistered : .badToken }
        if surroundings.power == .shuttingDown { throw .shuttingDown }
        if let running = channel.running, attachments[running.client] == nil { throw .notAttached }
        guard request.type == "pushtotalk" else { throw .badType(request.type) }
        let topic = owner.identifier.rawValue + ".voip-ptt"
        guard request.topic == topic else { throw .badTopic(request.topic, expected: topic) }
        guard request.payload.utf8.count <= PushInterface.SendRequest.longestPayload else {
            throw .payloadTooLarge
        }
        let kind: PushKind
        switch envelope.content {
        case .unusable(let reason): throw .badPayload(reason)
        case .readable(let isServiceUpdate): kind = isServiceUpdate ? .serviceUpdate : .pushToTalk
        }
        try PushRejection.checkTiming(of: request, kind, arrived: envelope.arrived)
        if kind == .serviceUpdate, request.priority > 5, channel.budget.remaining(at: effects.now) <= 0 {
            throw .overBudget
        }
        guard channel.pushes.count < WaitingPush.limit else { throw .tooManyWaiting }
        return kind
    }

    /// Returns true if the token is that of the channel that was left last, or if an application was given it
    /// and has no channel for it yet.
    private func isKnown(_ token: PushToken) -> Bool {
        token == lastPushToken || attachments.values.contains { $0.pushToken == token }
    }

    /// - Returns: Nil if the request is answered once it is known whether the speaker opens.
    mutating func finishPush(
        _ request: ApplicationInterface.FinishPushRequest,
        _ requestID: RequestID,
        from client: ClientID
    ) throws(RefusalCause) -> Answer? {
        guard let running = channel?.running, running.client == client else {
            throw .noSuchPush(request.pushID)
        }
        // Also for a push that is over: the application relies on what it asked for in the same step.
        if request.endsTransmission { endTransmissionForPush(from: client) }
        guard let waiting = running.pushes.first(where: { $0.push.pushID == request.pushID }) else {
            throw .noSuchPush(request.pushID)
        }
        channel?.running?.pushes.removeAll { $0.push.pushID == request.pushID }
        var refusal: RefusalCause?
        do throws(RefusalCause) {
            switch (request.result, waiting.push.kind) {
            case (.activeRemoteParticipant, .pushToTalk):
                guard let participant = request.participant else { throw .noParticipant }
                try receive(participant, for: requestID, isPush: true)
            case (.leaveChannel, .pushToTalk), (.processed, .serviceUpdate): break
            case (.activeRemoteParticipant, .serviceUpdate), (.leaveChannel, .serviceUpdate),
                (.processed, .pushToTalk), (.unknown, .pushToTalk), (.unknown, .serviceUpdate),
                (.activeRemoteParticipant, .unknown), (.leaveChannel, .unknown), (.processed, .unknown),
                (.unknown, .unknown):
                throw .wrongResult
            }
        } catch {
            refusal = error
        }
        effects.publish(
            .pushFinished(
                pushID: request.pushID,
                outcome: refusal == nil ? .answered : .failed,
                explanation: refusal?.reason ?? unheardReason(request.result)
            )
        )
        if let refusal { throw refusal }
        if request.result == .activeRemoteParticipant { return answerWhenOpen(requestID) }
        if request.result == .leaveChannel { leave(for: .developerRequest) }
        return .done
    }

    /// Why an answer that was carried out opens no speaker.
    private func unheardReason(_ result: ApplicationInterface.PushResult) -> String? {
        guard result == .activeRemoteParticipant, let call = surroundings.call else { return nil }
        return "the participant is not heard during a call (\(call.source), \(call.name))"
    }

    private mutating func endTransmissionForPush(from client: ClientID) {
        if channelLease == nil {
            effects.notify(client, .endRefused(refusal: RefusalCause.noTransmission.forClient))
        } else {
            endTransmission(.stopped, by: .developerRequest)
        }
    }
}

extension JoinedChannel {
    /// The pushes that wait for the application, or for its answer.
    var pushes: [Push] {
        switch presence {
        case .unowned, .absent: []
        case .starting(let starting): starting.pushes
        case .running(let running): running.pushes.map(\.push)
        }
    }

    fileprivate mutating func enqueue(_ push: Push, effects: inout EffectCollector) {
        switch presence {
        case .running: deliver([push], effects: &effects)
        case .starting: starting?.pushes.append(push)
        case .absent, .unowned:
            let reason = "the application is not running, and has not said how to start it"
            effects.publish(.pushFinished(pushID: push.pushID, outcome: .undeliverable, explanation: reason))
        }
    }

    /// Notifies the application, which is attached, of pushes.
    mutating func deliver(_ pushes: [Push], effects: inout EffectCollector) {
        guard let client = running?.client else { return }
        for push in pushes {
            running?.pushes.append(WaitingPush(push, deliveredAt: effects.now))
            effects.notify(client, .pushReceived(push: push))
        }
    }

    /// Reports all pushes as finished, right before the application's presence ends, and they with it.
    func finishPushes(explanation: String, effects: inout EffectCollector) {
        let outcome: PushOutcome = running == nil ? .undeliverable : .unanswered
        for push in pushes {
            effects.publish(.pushFinished(pushID: push.pushID, outcome: outcome, explanation: explanation))
        }
    }

    /// Gives up pushes that the application has not answered in time, and logs those that it is slow to
    /// answer.
    mutating func checkPushes(effects: inout EffectCollector) {
        guard var running else { return }
        for index in running.pushes.indices {
            guard let warning = running.pushes[index].warning, effects.now >= warning else { continue }
            running.pushes[index].warning = nil
            effects.log("push \(running.pushes[index].push.pushID.rawValue) is not answered yet")
        }
        let late = running.pushes.filter { effects.now >= $0.limit }
        running.pushes.removeAll { late.contains($0) }
        for waiting in late {
            let reason = "the application did not answer in time"
            effects.publish(
                .pushFinished(pushID: waiting.push.pushID, outcome: .unanswered, explanation: reason)
            )
        }
        self.running = running
    }
}
