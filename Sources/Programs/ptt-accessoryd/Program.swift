import EventLoop
import Glibc
import Invocation
import Journal
import Logging
import PTTMessages
import ServiceClient

/// `ptt-accessoryd`: passes the presses of buttons and headsets to the core. Log → socket → accessories →
/// ready.
@main
struct Program {
    static func main() {
        Invocation(
            program: "ptt-accessoryd",
            abstract: "Passes the presses of push-to-talk buttons and headsets to the core, pttd.",
            environment: [("PTT_LOG=debug", "Log also failures that are expected and handled.")]
        ).handleArguments()
        // For troubleshooting: `PTT_LOG=debug` also logs failures that are expected and handled.
        let log = Logger.journal("ptt-accessoryd", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(EventLoop.run { Daemon.start(log) })
    }
}

/// The process: its start and its end.
@EventLoop
final class Daemon {
    private static var running: Daemon?

    private let accessories: Accessories
    private var signals: [SignalSource] = []

    static func start(_ log: Logger) {
        do {
            running = try Daemon(log)
        } catch let error as SystemError where error.code == EADDRINUSE {
            log.critical(
                "\(error): another ptt-accessoryd is running; stop it with `systemctl --user stop ptt-accessoryd`"
            )
            EventLoop.exit(code: EXIT_FAILURE)
        } catch {
            log.critical("\(error)")
            EventLoop.exit(code: EXIT_FAILURE)
        }
    }

    private init(_ log: Logger) throws {
        // A socket that systemd passes needs none, but the core's socket is there.
        _ = try RuntimeSocket.directory()
        accessories = Accessories(log: log)
        let socket = try RuntimeSocket.accessory.listen(ActivatedSocket.takeAll())
        try accessories.start(socket)
        signals = try [SIGTERM, SIGINT].map { signal in
            try SignalSource(signal) { [weak self] in self?.stop() }
        }
        ServiceState.answerWatchdog()
        ServiceState.ready(status: "Starting")
    }

    private func stop() {
        ServiceState.stopping()
        accessories.close()
        EventLoop.exit(code: EXIT_SUCCESS)
    }
}
