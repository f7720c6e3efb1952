import EventLoop
import Glibc
import Invocation
import Journal
import Logging
import PTTMessages
import ServiceClient

/// `ptt-actions`: runs the commands that `actions.toml` gives to buttons. Log → socket → actions → ready.
@main
struct Program {
    static func main() {
        Invocation(
            program: "ptt-actions",
            abstract: "Runs commands when a push-to-talk button is pressed and released.",
            environment: [("PTT_LOG=debug", "Log every event and its effects.")]
        ).handleArguments()
        let log = Logger.journal("ptt-actions", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(EventLoop.run { Daemon.start(log) })
    }
}

/// The process: its start and its end.
@EventLoop
final class Daemon {
    private static var running: Daemon?

    private let actions: Actions
    private var signals: [SignalSource] = []

    static func start(_ log: Logger) {
        do {
            running = try Daemon(log)
        } catch {
            log.critical("\(error)")
            EventLoop.exit(code: EXIT_FAILURE)
        }
    }

    private init(_ log: Logger) throws {
        let socket = try RuntimeSocket.actions.listen(ActivatedSocket.takeAll())
        actions = try Actions(socket, log: log)
        signals = try [SIGTERM, SIGINT].map { signal in
            try SignalSource(signal) { [weak self] in self?.stop() }
        }
        ServiceState.answerWatchdog()
        ServiceState.ready(status: "Waiting for a press")
    }

    private func stop() {
        ServiceState.stopping()
        actions.stop { EventLoop.exit(code: EXIT_SUCCESS) }
    }
}
