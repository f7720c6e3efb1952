import PTTMessages

extension TalkSession {
    /// Longest payload in bytes: that of Apple's push service for voice.
    static let longestPayload = 5120

    mutating func push(_ envelope: PushEnvelope, _ turn: inout Turn) -> Answer {
        let kind: PushKind
        let owner: Owner
        switch examine(envelope, at: turn.now) {
        case .failure(let rejection): return .rejected(rejection)
        case .success(let found): (kind, owner) = found
        }
        pushCount += 1
        let pushID = PushID(rawValue: pushCount)
        let isHighPriority = envelope.request.priority > 5
        change { channel in
            if kind == .serviceUpdate, isHighPriority { channel.budget.spend(at: turn.now) }
            let push = Push(
                pushID: pushID,
                kind: kind,
                payload: envelope.request.payload,
                isHighPriority: isHighPriority,
                remainingHighPriorityBudget: channel.budget.remaining(at: turn.now)
            )
            channel.deliver(push, &turn)
        }
        startIfAbsent(owner, &turn)
        return .accepted(pushID)
    }

    /// - Returns: What kind of push it is and whose, if nothing stands against it.
    private mutating func examine(_ envelope: PushEnvelope, at now: MonotonicTime)
        -> Result<(PushKind, Owner), PushRejection>
    {
        let request = envelope.request
        guard case .joined(var channel) = state, channel.pushToken == request.token, let owner = channel.owner
        else { return .failure(isKnown(request.token) ? .unregistered : .badToken) }
        if machine == .shuttingDown { return .failure(.shuttingDown) }
        guard request.type == "pushtotalk" else { return .failure(.badType(request.type)) }
        let topic = owner.identifier.rawValue + ".voip-ptt"
        guard request.topic == topic else { return .failure(.badTopic(request.topic, expected: topic)) }
        guard request.payload.utf8.count <= Self.longestPayload else { return .failure(.payloadTooLarge) }
        let kind: PushKind
        switch envelope.content {
        case .unusable(let reason): return .failure(.badPayload(reason))
        case .readable(let isServiceUpdate): kind = isServiceUpdate ? .serviceUpdate : .pushToTalk
        }
        if let rejection = PushRejection.timing(request, kind, envelope.arrived) {
            return .failure(rejection)
        }
        if kind == .serviceUpdate, request.priority > 5, channel.budget.remaining(at: now) <= 0 {
            return .failure(.overBudget)
        }
        guard channel.pushes.count < WaitingPush.limit else { return .failure(.tooManyWaiting) }
        return .success((kind, owner))
    }

    private func isKnown(_ token: PushToken) -> Bool {
        token == endedToken || attached.values.contains { $0.pushToken == token }
    }

    mutating func finishPush(
        _ client: ClientID,
        _ request: ApplicationInterface.FinishPushRequest,
        _ turn: inout Turn
    ) -> Answer {
        guard let channel, channel.receiver == client,
            let waiting = channel.pushes.first(where: { $0.push.pushID == request.pushID })
        else { return .refused(.noSuchPush(request.pushID)) }
        change { $0.pushes.removeAll { $0.push.pushID == request.pushID } }
        if request.endsTransmission { endForPush(client, &turn) }
        let refusal: Refusal?
        switch (request.result, waiting.push.kind) {
        case (.activeRemoteParticipant, .pushToTalk):
            refusal = request.participant.map { hear($0, &turn) } ?? .noParticipant
        case (.leaveChannel, .pushToTalk), (.processed, .serviceUpdate):
            refusal = nil
        case (.activeRemoteParticipant, _), (.leaveChannel, _), (.processed, _), (.unknown, _):
            refusal = .wrongResult
        }
        turn.publish(
            .pushFinished(
                request.pushID,
                refusal == nil ? .answered : .failed,
                explanation: refusal?.reason
            )
        )
        if refusal == nil, request.result == .leaveChannel { leave(.developerRequest, nil, &turn) }
        return refusal.map { .refused($0) } ?? .done
    }

    private mutating func endForPush(_ client: ClientID, _ turn: inout Turn) {
        if channel?.lease == nil {
            turn.tell(client, .endRefused(.nobodyTransmits))
        } else {
            change { $0.endTransmission(.stopped, by: .developerRequest, &turn) }
        }
    }
}

extension JoinedChannel {
    fileprivate mutating func deliver(_ push: Push, _ turn: inout Turn) {
        var waiting = WaitingPush(push)
        switch presence {
        case .running(let client, _):
            waiting.delivered(at: turn.now)
            turn.tell(client, .pushReceived(push))
        case .absent where owner?.activation == nil, .notNeeded:
            let reason = "the application is not running, and did not say how to start it"
            turn.publish(.pushFinished(push.pushID, .undeliverable, explanation: reason))
            return
        case .absent, .starting:
            break
        }
        pushes.append(waiting)
    }

    /// An outcome of nil means the one that fits to whether the application was told.
    mutating func finishPushes(_ outcome: PushOutcome?, _ explanation: String, _ turn: inout Turn) {
        for waiting in pushes {
            let fitting: PushOutcome = waiting.isDelivered ? .unanswered : .undeliverable
            turn.publish(
                .pushFinished(waiting.push.pushID, outcome ?? fitting, explanation: explanation)
            )
        }
        pushes = []
    }

    /// Gives up on those that the application did not answer in time, and remarks on those that it is slow with.
    mutating func followPushes(_ turn: inout Turn) {
        for index in pushes.indices {
            guard let warning = pushes[index].warning, turn.now >= warning else { continue }
            pushes[index].warned()
            turn.remark("push \(pushes[index].push.pushID.rawValue) is not answered yet")
        }
        let late = pushes.filter { $0.limit.map { turn.now >= $0 } ?? false }
        pushes.removeAll { late.contains($0) }
        for waiting in late {
            let reason = "the application did not answer in time"
            turn.publish(.pushFinished(waiting.push.pushID, .unanswered, explanation: reason))
        }
    }
}
