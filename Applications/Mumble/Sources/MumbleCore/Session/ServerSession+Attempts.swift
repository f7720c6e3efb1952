// How a connection begins and ends, and when the next one is tried.
extension ServerSession {
    func send(_ message: ControlMessage) -> Effect { .send(message.encoded) }

    mutating func connect(_ now: Duration) -> [Effect] {
        state = .connecting(limit: now + Self.stepLimit)
        splitter = MessageSplitter()
        directory = Directory()
        pictures = Pictures()
        serverVersion = 0
        firstHeard = nil
        session = nil
        (channel, home) = (nil, nil)
        (wanted, rule) = (.first, .first)
        return [.connect]
    }

    private mutating func forget() {
        path = nil
        way = nil
        ends = nil
        outgoing.bandwidth = nil
        outgoing.isHeld = false
        outgoing.isUngranted = false
        control = FloorControl()
        (nextPing, nextDatagramPing, answerDue, stepLimit) = (nil, nil, nil, nil)
    }

    /// Waits for the next attempt. A loss that the network of this machine has caused is none that the server
    /// has wished, and may follow another one soon.
    mutating func fail(_ reason: String, _ trouble: Trouble, _ now: Duration) -> [Effect] {
        // Said once: attempts come twice in a second.
        let isNew = failure?.text != reason
        failure = Failure(text: reason, trouble: trouble)
        if case .joined(let since) = state, trouble == .network || now - since >= Self.steady {
            backoff.reset()
            bridgeEnd = now + OutgoingVoice.longestWait
        }
        forget()
        let isReached = if case .connecting = state { false } else { true }
        let wait = backoff.next(isReached: isReached, now)
        state = .waiting(until: max(now + wait, limit.earliest(address.server, now)))
        // Attempts do not cure it, so that a person is to know what does.
        let note = trouble == .notMumble ? "\(reason): \(trouble.cure(address).text)" : reason
        return (isNew ? [.note(note)] : []) + (bridgeEnd == nil ? [.status(.connecting)] : [])
    }

    mutating func endBridge(_ now: Duration) -> [Effect] {
        guard let end = bridgeEnd, end <= now else { return [] }
        bridgeEnd = nil
        return [.status(.connecting)]
    }

    mutating func end(_ reason: String, _ trouble: Trouble) -> [Effect] {
        failure = Failure(text: reason, trouble: trouble)
        forget()
        bridgeEnd = nil
        state = .ended
        return [.disconnect, .ended(reason)]
    }
}
