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
            debugLog: "Log every event and its effects."
        ).handleArguments()
        let log = Logger.journal("ptt-actions", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(
            EventLoop.runDaemon {
                let socket = try RuntimeSocket.actions.listen(ActivatedSocket.takeAll())
                let actions = try Actions(socket, log: log)
                ServiceState.ready(status: "Waiting for a press")
                return {
                    ServiceState.stopping()
                    actions.stop { EventLoop.exit(code: EXIT_SUCCESS) }
                }
            } failed: {
                log.critical("\($0)")
            }
        )
    }
}
