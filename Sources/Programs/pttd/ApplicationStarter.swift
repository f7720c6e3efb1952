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
struct ApplicationStarter {
    /// Not shorter than the time in which an application must attach: the bus replies when the application
    /// has acquired its name.
    private static let timeLimit = Duration.seconds(10)

    let log: RateLimitedLog

    /// - Parameters:
    ///   - activation: The application, and how it is started.
    ///   - failed: Called once if the application cannot be started, after this has returned. There is no
    ///     such call for a success: the application then attaches.
    func start(_ activation: Activation, failed: @escaping @EventLoop (String) -> Void) {
        EventLoop.start {
            guard let call = Self.call(starting: activation) else {
                return failed(
                    "this version cannot start \(activation.name): its kind of activation is unknown"
                )
            }
            do throws(BusError) {
                let bus = try await BusConnection.open(.session)
                _ = try await bus.call(call, timeout: Self.timeLimit)
            } catch {
                failed("\(error)")
            }
        }
        log.log(level: .info, "starting the application", metadata: ["name": "\(activation.name)"])
    }

    private static func call(starting activation: Activation) -> MethodCall? {
        switch activation.kind {
        case .systemdUnit:
            IndicatorStarter.manager.call("StartUnit", [.string(activation.name), .string("replace")])
        case .busName: .bus("StartServiceByName", .string(activation.name), .uint32(0))
        case .unknown: nil
        }
    }
}
