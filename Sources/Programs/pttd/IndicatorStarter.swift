import EventLoop
import Journal
import Logging
import PTTMessages

/// Starts `ptt-indicator`, which shows on the desktop where a press goes, whenever a channel is joined or a
/// program begins to record from the Push-to-Talk Microphone. It ends by itself when neither is so.
///
/// Not the desktop's own start of programs: many desktops have none, and otherwise nothing is to run.
@EventLoop
final class IndicatorStarter {
    /// The name says to desktops whose windows, shortcuts and notifications these are (Desktop Environment
    /// Conventions of systemd.io).
    private static let unit = "app-org.pushtotalk.Indicator.service"
    private static let timeLimit = Duration.seconds(10)

    private let log: RateLimitedLog
    private var starting: Start?
    private var isRecorded = false

    init(log: RateLimitedLog) {
        self.log = log
    }

    func update(after event: CoreEvent) {
        if case .channelJoined = event { start() }
        guard case .virtualMicrophoneChanged(let microphone) = event else { return }
        let wasRecorded = isRecorded
        isRecorded = if case .recorded = microphone { true } else { false }
        if isRecorded, !wasRecorded { start() }
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
