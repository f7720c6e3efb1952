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
            debugLog: "Log also failures that are expected and handled."
        ).handleArguments()
        let log = Logger.journal("ptt-accessoryd", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(
            EventLoop.runDaemon {
                // A socket that systemd passes needs none, but the core's socket is there.
                _ = try RuntimeSocket.directory()
                let accessories = Accessories(log: log)
                let socket = try RuntimeSocket.accessory.listen(ActivatedSocket.takeAll())
                try accessories.start(socket)
                ServiceState.ready(status: "Starting")
                return {
                    ServiceState.stopping()
                    accessories.close()
                    EventLoop.exit(code: EXIT_SUCCESS)
                }
            } failed: { error in
                let isRunning = (error as? SystemError)?.code == EADDRINUSE
                log.critical(
                    isRunning
                        ? "\(error): another ptt-accessoryd is running; stop it with `systemctl --user stop ptt-accessoryd`"
                        : "\(error)"
                )
            }
        )
    }
}
