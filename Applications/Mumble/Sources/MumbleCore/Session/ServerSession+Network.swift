// What becomes of the connection when the network of this machine changes.
extension ServerSession {
    /// The kernel says that something is different.
    public mutating func networkChanged(_ change: NetworkChange, _ now: Duration) -> [Effect] {
        if case .addressRemoved(let lost) = change, lost == ends?.local {
            let reason = "this machine has lost the address of its connection to \(address.server)"
            return [.disconnect] + fail(reason, .network, now)
        }
        if concerns(change) { reaction.request(now) }
        return []
    }

    private func concerns(_ change: NetworkChange) -> Bool {
        switch state {
        // Those steps have limits of their own.
        case .idle, .authenticating, .entering, .ended: false
        case .connecting, .waiting:
            switch change {
            case .addressAdded, .routeAdded, .link(isRunning: true), .unknown: true
            case .addressRemoved, .routeRemoved, .link(isRunning: false): false
            }
        case .joined:
            switch change {
            case .routeAdded(let prefix), .routeRemoved(let prefix):
                ends.map { prefix.contains($0.server) } ?? true
            case .link, .unknown: true
            // Of another way, unless a route follows.
            case .addressAdded, .addressRemoved: false
            }
        }
    }

    mutating func react(_ now: Duration) -> [Effect] {
        guard reaction.take(now) else { return [] }
        switch state {
        case .idle, .authenticating, .entering, .ended: return []
        // What is under way asks on the way that is gone, for a name or for an answer.
        case .connecting, .waiting: return limit.earliest(address.server, now) <= now ? connect(now) : []
        case .joined: return probe(now)
        }
    }

    /// Our voice waits for the answer, because on a connection that is gone it would be lost.
    private mutating func probe(_ now: Duration) -> [Effect] {
        outgoing.isHeld = true
        path?.networkChanged()
        let pings = ping(now) + (nextDatagramPing == nil ? [] : datagramPing(now))
        answerDue = min(answerDue ?? now, now + Self.networkAnswerLimit)
        return pings
    }
}
