import DBus
import EventLoop
import Journal
import Logging

/// A bus with services that report calls.
///
/// While the connection is lost, what was known stays in force for a while: any process on the bus can end
/// our connection to it (`BusConnection`), and must not end a call by that.
@EventLoop
final class CallBus {
    private let address: BusAddress
    private let services: [CallService]
    private let log: RateLimitedLog
    private var bus: Bus?
    private lazy var limit = TimerSource { [weak self] in self?.lose() }
    private var isConnected = false

    /// A bus that is away for longer does not come back with the calls that it had.
    private static let lossLimit = Duration.seconds(30)

    init(_ address: BusAddress, _ services: [CallService], log: RateLimitedLog) {
        self.address = address
        self.services = services
        self.log = log
        bus = Bus(address) { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            isConnected = true
            limit.disarm()
            for service in services { service.connect(to: connection) }
        case .disconnected(let error):
            log.log(level: .notice, "no calls are detected on \(address): \(error)")
            for service in services { service.disconnect() }
            if isConnected { limit.arm(after: Self.lossLimit) }
            isConnected = false
        }
    }

    private func lose() {
        for service in services { service.lose() }
    }
}
