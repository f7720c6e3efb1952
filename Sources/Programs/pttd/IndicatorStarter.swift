import EventLoop
import Journal
import Logging
import PTTMessages

/// Starts `ptt-indicator`, which shows the channel on the desktop, whenever a channel is joined. It ends by
/// itself when the channel is left.
///
/// Not the desktop's own start of programs: many desktops have none, and without a channel nothing is to run.
@EventLoop
final class IndicatorStarter {
    /// The name says to desktops whose windows, shortcuts and notifications these are (Desktop Environment
    /// Conventions of systemd.io).
    private static let unit = "app-org.pushtotalk.Indicator.service"
    private static let timeLimit = Duration.seconds(10)

    private let log: RateLimitedLog
    private var starting: Start?

    init(log: RateLimitedLog) {
        self.log = log
    }

    func update(after event: CoreEvent) {
        if case .channelJoined = event { start() }
    }

    /// Starts it unless it runs. A machine without it, or without a service manager, is not at fault.
    func start() {
        guard starting == nil else { return }
        let activation = Activation(kind: .systemdUnit, name: Self.unit)
        starting = Start(activation, Self.timeLimit) { [weak self] _, error in
            self?.starting = nil
            if let error {
                self?.log.log(
                    level: .debug,
                    "the indicator was not started",
                    metadata: ["reason": "\(error)"]
                )
            }
        }
    }
}
