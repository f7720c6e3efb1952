import EventLoop
import Glibc
import Invocation
import Journal
import Logging
import PTTMessages

/// `ptt-keys`: divides headsets in their talk key and their other keys, so that a media player does not
/// receive the first while it presses, and the desktop goes on receiving the others. Started with a
/// connection, it holds keys for that client in place of this. Two system services, which are not enabled.
@main
struct Program {
    static func main() {
        Invocation(
            program: "ptt-keys",
            abstract: "Divides headsets in their talk key and their other keys; holds keys for actions.",
            debugLog: "Log also failures that are expected and handled."
        ).handleArguments()
        let log = Logger.journal("ptt-keys", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(
            EventLoop.runDaemon {
                let stop = try start(log)
                ServiceState.ready(status: "Running")
                return {
                    ServiceState.stopping()
                    stop()
                    EventLoop.exit(code: EXIT_SUCCESS)
                }
            } failed: {
                log.critical("\($0)")
            }
        )
    }

    /// - Returns: The function that ends it.
    @EventLoop
    private static func start(_ log: Logger) throws(SystemError) -> (@EventLoop () -> Void) {
        guard let connection = ActivatedSocket.takeAll().first else {
            let divider = try HeadsetDivider(log: log)
            return { divider.close() }
        }
        // systemd accepts, and starts a process for each connection (Accept= in systemd.socket(5)).
        let descriptor = OwnedDescriptor(adopting: connection.descriptor)
        let offer = try KeyOffer(descriptor, log: log) { EventLoop.exit(code: EXIT_SUCCESS) }
        return { offer.close() }
    }
}
