import CoreLink
import EventLoop
import Glibc
import Journal
import Logging
import PTTCore
import PTTMessages
import PulseAudio

/// `pttd`: the core. Arguments → configuration → sockets → audio → machine → service → ready.
@main
struct Program {
    static func main() {
        // For trouble: `PTT_LOG=debug` shows every event and what followed from it.
        let log = Logger.journal("pttd", levelVariable: "PTT_LOG")
        exit(EventLoop.run { Daemon.start(log) })
    }
}

/// Everything that the daemon is made of, and the order in which it starts and stops.
@EventLoop
final class Daemon {
    private static var running: Daemon?

    private let log: Logger
    private let host: CoreHost
    private let server: AudioServer
    private let service: CoreService
    private var signals: [SignalSource] = []
    private var session: SessionWatch?

    static func start(_ log: Logger) {
        do {
            running = try Daemon(log)
        } catch let error as SystemError where error.code == EADDRINUSE {
            log.critical("\(error): another pttd is running; stop it with `systemctl --user stop pttd`")
            EventLoop.exit(code: EXIT_FAILURE)
        } catch {
            log.critical("\(error)")
            EventLoop.exit(code: EXIT_FAILURE)
        }
    }

    private init(_ log: Logger) throws {
        self.log = log
        let configuration = Self.configuration(log)
        let sockets = ActivatedSocket.takeAll()
        server = AudioServer(applicationName: "Push to talk")
        let audio = try AudioSocket(adopting: try RuntimeSocket.audio.listen(sockets), log: log)
        host = CoreHost(
            timeLimit: .seconds(configuration.timeLimit ?? 60),
            audio: audio,
            microphone: Microphone(server: server, device: configuration.microphone, log: log),
            log: log
        )
        service = try CoreService(
            host: host,
            audio: audio,
            adopting: try RuntimeSocket.core.listen(sockets),
            log: log
        )

        server.stateChanged = { [host] state in
            switch state {
            case .ready: host.post(.audioServerReady)
            case .closed, .connecting, .lost: host.post(.audioServerLost)
            }
        }
        server.connect()
        session = SessionWatch(log: log) { [host] in host.post($0) }
        signals = try [SIGTERM, SIGINT].map { signal in
            try SignalSource(signal) { [weak self] in self?.stop() }
        }
        ServiceState.answerWatchdog()
        ServiceState.ready(status: "waiting for a press")
        log.info("ready")
    }

    private func stop() {
        ServiceState.stopping()
        host.post(.shuttingDown)
        service.close()
        server.close()
        EventLoop.exit(code: EXIT_SUCCESS)
    }

    /// A configuration that cannot be read is told and does not keep the core from running.
    private static func configuration(_ log: Logger) -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration.load(Configuration.path)
        } catch {
            log.error("\(error)")
            return Configuration()
        }
    }
}
