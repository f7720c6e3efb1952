import PTTMessages

extension TalkSession {
    /// Longest payload in bytes: that of Apple's push service for voice.
    static let longestPayload = 5120

    mutating func push(_ envelope: PushEnvelope, _ turn: inout Turn) -> Answer {
        let kind: PushKind
        switch examine(envelope, at: turn.now) {
        case .failure(let rejection): return .rejected(rejection)
        case .success(let found): kind = found
        }
        pushCount += 1
        let pushID = PushID(rawValue: pushCount)
        let isHighPriority = envelope.request.priority > 5
        startIfAbsent(&turn)
        change { channel in
            if kind == .serviceUpdate, isHighPriority { channel.budget.spend(at: turn.now) }
            let push = Push(
                pushID: pushID,
                kind: kind,
                payload: envelope.request.payload,
                isHighPriority: isHighPriority,
                remainingHighPriorityBudget: channel.budget.remaining(at: turn.now)
            )
            channel.take(push, &turn)
        }
        return .accepted(pushID)
    }

    /// - Returns: What kind of push it is, if nothing stands against it.
    private mutating func examine(_ envelope: PushEnvelope, at now: MonotonicTime)
        -> Result<PushKind, PushRejection>
    {
        let request = envelope.request
        guard case .joined(var channel) = state, channel.pushToken == request.token, let owner = channel.owner
        else { return .failure(isKnown(request.token) ? .unregistered : .badToken) }
        if machine == .shuttingDown { return .failure(.shuttingDown) }
        if let running = channel.running, attachments[running.client] == nil { return .failure(.notAttached) }
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
        guard channel.pushCount < WaitingPush.limit else { return .failure(.tooManyWaiting) }
        return .success(kind)
    }

    private func isKnown(_ token: PushToken) -> Bool {
        token == endedToken || attachments.holds(token)
    }

    mutating func finishPush(
        _ client: ClientID,
        _ request: ApplicationInterface.FinishPushRequest,
        _ turn: inout Turn
    ) -> Answer {
        guard let running = channel?.running, running.client == client else {
            return .refused(.noSuchPush(request.pushID))
        }
        // Whether or not the push is over: the application relies on what it asked for in the same step.
        if request.endsTransmission { endForPush(client, &turn) }
        guard let waiting = running.pushes.first(where: { $0.push.pushID == request.pushID }) else {
            return .refused(.noSuchPush(request.pushID))
        }
        change { $0.run { $0.pushes.removeAll { $0.push.pushID == request.pushID } } }
        let refusal: Refusal?
        switch (request.result, waiting.push.kind) {
        case (.activeRemoteParticipant, .pushToTalk):
            refusal = request.participant.map { hear($0, for: nil, &turn) } ?? .noParticipant
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
            turn.notify(client, .endRefused(.nobodyTransmits))
        } else {
            change { $0.endTransmission(.stopped, by: .developerRequest, &turn) }
        }
    }
}

extension JoinedChannel {
    /// Those that wait for the application, or for its answer.
    var pushCount: Int {
        switch presence {
        case .unowned, .absent: 0
        case .starting(let start): start.pushes.count
        case .running(let running): running.pushes.count
        }
    }

    fileprivate mutating func take(_ push: Push, _ turn: inout Turn) {
        switch presence {
        case .running:
            deliver([push], &turn)
        case .starting(var start):
            start.pushes.append(push)
            presence = .starting(start)
        case .absent, .unowned:
            let reason = "the application is not running, and did not say how to start it"
            turn.publish(.pushFinished(push.pushID, .undeliverable, explanation: reason))
        }
    }

    /// Tells the application, which is attached, of pushes.
    mutating func deliver(_ pushes: [Push], _ turn: inout Turn) {
        run { running in
            for push in pushes {
                running.pushes.append(WaitingPush(push, deliveredAt: turn.now))
                turn.notify(running.client, .pushReceived(push))
            }
        }
    }

    /// An outcome of nil means the one that fits to whether the application was told.
    mutating func finishPushes(_ outcome: PushOutcome?, _ explanation: String, _ turn: inout Turn) {
        switch presence {
        case .unowned, .absent:
            break
        case .starting(var start):
            for push in start.pushes {
                turn.publish(
                    .pushFinished(push.pushID, outcome ?? .undeliverable, explanation: explanation)
                )
            }
            start.pushes = []
            presence = .starting(start)
        case .running(var running):
            for waiting in running.pushes {
                let pushID = waiting.push.pushID
                turn.publish(.pushFinished(pushID, outcome ?? .unanswered, explanation: explanation))
            }
            running.pushes = []
            presence = .running(running)
        }
    }

    /// Gives up on those that the application did not answer in time, and remarks on those that it is slow with.
    mutating func followPushes(_ turn: inout Turn) {
        run { running in
            for index in running.pushes.indices {
                guard let warning = running.pushes[index].warning, turn.now >= warning else { continue }
                running.pushes[index].warned()
                turn.log("push \(running.pushes[index].push.pushID.rawValue) is not answered yet")
            }
            let late = running.pushes.filter { turn.now >= $0.limit }
            running.pushes.removeAll { late.contains($0) }
            for waiting in late {
                let reason = "the application did not answer in time"
                turn.publish(.pushFinished(waiting.push.pushID, .unanswered, explanation: reason))
            }
        }
    }
}
