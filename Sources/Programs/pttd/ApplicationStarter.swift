import DBus
import EventLoop
import Journal
import Logging
import PTTMessages

/// Starts the application of the channel: as a unit of the user's service manager, or by its name on the
/// session bus.
///
/// Each start has a connection of its own, which is closed when the start has succeeded or failed.
@EventLoop
final class ApplicationStarter {
    /// Not shorter than the time in which an application must attach: the bus replies when the application
    /// has acquired its name.
    private static let timeLimit = Duration.seconds(10)

    private let log: RateLimitedLog
    private var starts: [Start] = []

    init(log: RateLimitedLog) {
        self.log = log
    }

    /// - Parameters:
    ///   - activation: What to start.
    ///   - failed: Called once if the application cannot be started, after this has returned. There is no
    ///     such call for a success: the application then attaches.
    func start(_ activation: Activation, failed: @escaping @EventLoop (String) -> Void) {
        let start = Start(activation, Self.timeLimit) { [weak self] start, error in
            self?.starts.removeAll { $0 === start }
            if let error { failed(error) }
        }
        starts.append(start)
        log.log(level: .info, "starting the application", metadata: ["name": "\(activation.name)"])
    }
}

/// One start: of a unit, or of the owner of a name.
@EventLoop
final class Start {
    private let activation: Activation
    private let done: @EventLoop (Start, String?) -> Void
    private var bus: Bus?
    private var limit: TimerSource?
    private var isDone = false

    /// - Parameters:
    ///   - activation: What to start.
    ///   - timeLimit: Within which the session bus must answer.
    ///   - done: Called once, after this has returned: with nil if it was started, or why it was not.
    init(
        _ activation: Activation,
        _ timeLimit: Duration,
        done: @escaping @EventLoop (Start, String?) -> Void
    ) {
        self.activation = activation
        self.done = done
        let limit = TimerSource { [weak self] in self?.finish("the session bus did not answer in time") }
        limit.arm(after: timeLimit)
        self.limit = limit
        bus = Bus(.session) { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            guard let call else {
                return finish(
                    "this version cannot start \(activation.name): its kind of activation is unknown"
                )
            }
            connection.call(call) { [weak self] result in
                switch result {
                case .success: self?.finish(nil)
                case .failure(let error): self?.finish("\(error)")
                }
            }
        case .disconnected(let error):
            finish("\(error)")
        }
    }

    private var call: MethodCall? {
        switch activation.kind {
        case .systemdUnit:
            MethodCall(
                to: "org.freedesktop.systemd1",
                path: "/org/freedesktop/systemd1",
                interface: "org.freedesktop.systemd1.Manager",
                member: "StartUnit",
                arguments: [.string(activation.name), .string("replace")]
            )
        case .busName:
            MethodCall.bus("StartServiceByName", .string(activation.name), .uint32(0))
        case .unknown:
            nil
        }
    }

    private func finish(_ error: String?) {
        guard !isDone else { return }
        isDone = true
        limit?.disarm()
        bus?.close()
        done(self, error)
    }
}
