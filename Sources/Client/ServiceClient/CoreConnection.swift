package import EventLoop
package import PTTMessages

/// The connection of a program to the core, which is made again after a loss.
///
/// Requests go over one connection, events come over another. Whatever was begun over the first ends with it,
/// and so with the program.
@EventLoop
package final class CoreConnection {
    /// For requests; nil without a connection.
    package private(set) var requests: ServiceConnection?
    /// True if the core has answered on the present connection.
    package private(set) var isAnswered = false

    private let kinds: [String]?
    private let updated: @EventLoop (ChannelInterface.Update) -> Void
    private let lost: @EventLoop (String) -> Void
    private let failed: @EventLoop (String) -> Void
    private let unwatchable: @EventLoop (String) -> Void
    private var events: ServiceConnection?
    private lazy var reconnector = Reconnector(
        to: .core,
        connect: { [weak self] () throws(ServiceError) in try self?.connect() },
        unreachable: { [failed] in failed("\($0)") },
        unwatchable: { [unwatchable] in unwatchable("\($0)") }
    )

    /// - Parameters:
    ///   - kinds: The kinds of events to receive, named as in ``CoreEvent/kind``; nil for all.
    ///   - updated: The first update of each connection has the status, the others have an event.
    ///   - lost: The core had answered, and is lost, for this reason.
    ///   - failed: No connection could be made, or there is none any more, for this reason. Called before
    ///     `lost`, and perhaps before ``start()`` returns.
    ///   - unwatchable: The core's socket cannot be watched, for this reason, which costs an attempt every
    ///     few seconds.
    package init(
        eventsOf kinds: [String]? = nil,
        updated: @escaping @EventLoop (ChannelInterface.Update) -> Void,
        lost: @escaping @EventLoop (String) -> Void,
        failed: @escaping @EventLoop (String) -> Void,
        unwatchable: @escaping @EventLoop (String) -> Void
    ) {
        self.kinds = kinds
        self.updated = updated
        self.lost = lost
        self.failed = failed
        self.unwatchable = unwatchable
    }

    /// Connects, now or as soon as the core listens. Where systemd listens for the core, this starts it.
    package func start() { reconnector.handle(.started) }

    /// Connects now if there is no connection, for a request that cannot wait.
    package func connectNow() { reconnector.handle(.requestMade) }

    /// Ends the connection. Requests that were sent are still delivered.
    package func close() {
        reconnector.handle(.stopped)
        disconnect()
    }

    private func connect() throws(ServiceError) {
        let requests = try ServiceConnection.core()
        let events = try ServiceConnection.core()
        self.requests = requests
        self.events = events
        requests.onClose = { [weak self] in self?.lose("\($0)") }
        events.subscribe(
            to: kinds,
            { [weak self] in self?.handle($0) },
            ended: { [weak self] in self?.lose("\($0)") }
        )
    }

    private func handle(_ update: ChannelInterface.Update) {
        if update.status != nil {
            isAnswered = true
            reconnector.handle(.answered)
        }
        updated(update)
    }

    private func lose(_ reason: String) {
        guard requests != nil else { return }
        let wasAnswered = isAnswered
        disconnect()
        failed(reason)
        reconnector.handle(.lost)
        if wasAnswered { lost(reason) }
    }

    private func disconnect() {
        let connections = [requests, events]
        // First, because closing fails the pending calls, whose handlers use these properties.
        requests = nil
        events = nil
        isAnswered = false
        for connection in connections { connection?.close() }
    }
}
