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
            environment: [("PTT_LOG=debug", "Log also failures that are expected and handled.")]
        ).handleArguments()
        let log = Logger.journal("ptt-keys", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(EventLoop.run { Daemon.start(log) })
    }
}

/// The process: its start and its end.
@EventLoop
final class Daemon {
    private static var running: Daemon?

    private enum Service {
        case divide(HeadsetDivider)
        case offer(KeyOffer)
    }

    private let service: Service
    private var signals: [SignalSource] = []

    static func start(_ log: Logger) {
        do throws(SystemError) {
            running = try Daemon(log)
        } catch {
            log.critical("\(error)")
            EventLoop.exit(code: EXIT_FAILURE)
        }
    }

    private init(_ log: Logger) throws(SystemError) {
        if let connection = ActivatedSocket.takeAll().first {
            // systemd accepts, and starts a process for each connection (Accept= in systemd.socket(5)).
            let descriptor = OwnedDescriptor(adopting: connection.descriptor)
            service = .offer(try KeyOffer(descriptor, log: log) { EventLoop.exit(code: EXIT_SUCCESS) })
        } else {
            service = .divide(try HeadsetDivider(log: log))
        }
        for signal in [SIGTERM, SIGINT] {
            signals.append(try SignalSource(signal) { [weak self] in self?.stop() })
        }
        ServiceState.answerWatchdog()
        ServiceState.ready(status: "Running")
    }

    private func stop() {
        ServiceState.stopping()
        switch service {
        case .divide(let divider): divider.close()
        // The kernel removes its device.
        case .offer: break
        }
        EventLoop.exit(code: EXIT_SUCCESS)
    }
}
