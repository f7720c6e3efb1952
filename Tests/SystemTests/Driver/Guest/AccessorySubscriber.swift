import EventLoop
import PTTMessages
import ServiceClient

/// Subscribes to ptt-accessoryd, and reconnects after a loss.
@EventLoop
final class AccessorySubscriber {
    /// Nil while ptt-accessoryd cannot be reached.
    private(set) var devices: [AccessoryDevice]?
    /// The events of all runs of ptt-accessoryd.
    private(set) var events: [AccessoryEvent] = []

    private var connection: ServiceConnection?
    private lazy var retry = TimerSource { [weak self] in self?.connect() }

    /// Subscribes; where systemd listens for ptt-accessoryd, this starts it.
    func open() async throws {
        if connection == nil { connect() }
        try await until("ptt-accessoryd answers") { [self] in devices != nil }
    }

    func close() {
        retry.disarm()
        connection?.close()
        connection = nil
        devices = nil
    }

    /// Waits until presses reach the core.
    func reachesCore() async throws {
        try await eventually("ptt-accessoryd reaches the core") {
            let accessories = try ServiceConnection.accessory()
            defer { accessories.close() }
            return try await accessories.devices().isCoreConnected
        }
    }

    func device(_ identifier: String) -> AccessoryDevice? {
        devices?.first { $0.identifier == identifier }
    }

    func device(named name: String) -> AccessoryDevice? {
        devices?.first { $0.name == name }
    }

    func isReady(_ button: Button) -> Bool {
        device(button.address)?.link == .ready
    }

    private func connect() {
        do throws(ServiceError) {
            let connection = try ServiceConnection.accessory()
            self.connection = connection
            connection.follow(
                AccessoryInterface.subscribe,
                { [weak self] in self?.apply($0) },
                ended: { [weak self] _ in self?.lose() }
            )
        } catch {
            retry.arm(after: .milliseconds(200))
        }
    }

    private func apply(_ update: AccessoryInterface.Update) {
        if let devices = update.devices { self.devices = devices }
        if let event = update.event { apply(event) }
        Conditions.evaluate()
    }

    private func apply(_ event: AccessoryEvent) {
        events.append(event)
        guard let device = event.device else { return }
        let index = devices?.firstIndex { $0.kind == device.kind && $0.identifier == device.identifier }
        switch (index, event.kind == .deviceRemoved) {
        case (let index?, true): devices?.remove(at: index)
        case (let index?, false): devices?[index] = device
        case (nil, true): break
        case (nil, false): devices?.append(device)
        }
    }

    private func lose() {
        devices = nil
        connection?.close()
        connection = nil
        retry.arm(after: .milliseconds(200))
        Conditions.evaluate()
    }
}
