import EventLoop
import PTTMessages
import ServiceClient

/// Subscribes to the core, and reconnects after a loss.
@EventLoop
final class CoreSubscriber {
    /// Nil while the core cannot be reached.
    private(set) var status: Status?
    /// The events of all runs of the core.
    private(set) var events: [CoreEvent] = []

    private var connection: ServiceConnection?
    private lazy var retry = TimerSource { [weak self] in self?.connect() }

    /// Subscribes; where systemd listens for the core, this starts it. Returns when a transmission can begin.
    func open() async throws {
        if connection == nil { connect() }
        try await until("the core answers, and has an audio server") { [self] in
            status?.isAudioServerReady == true
        }
    }

    func close() {
        retry.disarm()
        connection?.close()
        connection = nil
        status = nil
    }

    /// Waits for an event after the first `mark` ones.
    @discardableResult
    func event<Found>(
        _ what: String,
        after mark: Int,
        _ find: @escaping @EventLoop (CoreEvent) -> Found?
    ) async throws -> Found {
        var found: Found?
        try await until(what) { [self] in
            found = events.dropFirst(mark).lazy.compactMap(find).first
            return found != nil
        }
        guard let found else { throw Failure(what) }
        return found
    }

    /// Waits until a transmission has ended, and returns why it did.
    @discardableResult
    func end(after mark: Int) async throws -> EndCause {
        try await event("the transmission ends", after: mark) {
            if case .transmissionEnded(_, let cause, _) = $0 { cause } else { nil }
        }
    }

    /// How many transmissions have begun after the first `mark` events.
    func beginnings(after mark: Int) -> Int {
        events.dropFirst(mark).count { if case .transmissionBegan = $0 { true } else { false } }
    }

    private func connect() {
        do throws(ServiceError) {
            let connection = try ServiceConnection.core()
            self.connection = connection
            connection.subscribe(
                { [weak self] in self?.apply($0) },
                ended: { [weak self] _ in self?.lose() }
            )
        } catch {
            retry.arm(after: .milliseconds(200))
        }
    }

    private func apply(_ update: ChannelInterface.Update) {
        if let status = update.status { self.status = status }
        if let event = update.event {
            status?.apply(event)
            events.append(event)
        }
        Conditions.evaluate()
    }

    private func lose() {
        status = nil
        connection?.close()
        connection = nil
        retry.arm(after: .milliseconds(200))
        Conditions.evaluate()
    }
}
