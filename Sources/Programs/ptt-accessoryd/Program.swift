import EventLoop
import Glibc
import Journal
import Logging
import ServiceClient

/// `ptt-accessoryd`: ptt-accessoryd from buttons and headsets to the core. Log → socket → accessoryd → ready.
@main
struct Program {
    static func main() {
        // For trouble: `PTT_LOG=debug` shows every event and what followed from it.
        let log = Logger.journal("ptt-accessoryd", levelVariable: "PTT_LOG")
        exit(EventLoop.run { Daemon.start(log) })
    }
}

/// The process around ptt-accessoryd: how it starts and how it ends.
@EventLoop
final class Daemon {
    private static var running: Daemon?

    private let accessoryd: Accessories
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
        accessoryd = Accessories(log: log)
        let socket = try RuntimeSocket.accessory.listen(ActivatedSocket.takeAll())
        try accessoryd.start(socket)
        signals = try [SIGTERM, SIGINT].map { signal in
            try SignalSource(signal) { [weak self] in self?.stop() }
        }
        ServiceState.answerWatchdog()
        ServiceState.ready(status: "Starting")
    }

    private func stop() {
        ServiceState.stopping()
        accessoryd.close()
        EventLoop.exit(code: EXIT_SUCCESS)
    }
}
