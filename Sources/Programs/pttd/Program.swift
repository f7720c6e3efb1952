import CoreConfiguration
import EventLoop
import Glibc
import Invocation
import Journal
import Logging
import Logind
import PTTCore
import PTTMessages
import PulseAudio
import ServiceClient
import TOML

/// `pttd`: the core. Arguments → configuration → sockets → audio → machine → service → ready.
@main
struct Program {
    static func main() {
        Invocation(
            program: "pttd",
            abstract: "The push-to-talk core: owns the channel, the transmission and the microphone.",
            debugLog: "Log every event and its effects."
        ).handleArguments()
        // For troubleshooting: `PTT_LOG=debug` logs every event and its effects.
        let log = Logger.journal("pttd", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(
            EventLoop.runDaemon {
                let daemon = try Daemon(log)
                return { daemon.stop() }
            } failed: { error in
                let isRunning = (error as? SystemError)?.code == EADDRINUSE
                log.critical(
                    isRunning
                        ? "\(error): another pttd is running; stop it with `systemctl --user stop pttd`"
                        : "\(error)"
                )
            }
        )
    }
}

/// The parts of the daemon, and the order in which they start and stop.
@EventLoop
final class Daemon {
    private let log: Logger
    private let host: TalkSessionHost
    private let server: AudioServer
    private let service: CoreService
    private var isStopping = false
    private var logind: LogindWatch?
    /// Nil once it is known whether this session is active.
    private var sessionLimit: TimerSource?
    private var calls: CallWatch?
    private let headset: BluetoothHeadset?
    private let ducking: Ducking?
    private let policy: PolicyWatch
    private let warmUp = DeferredSource { _ = PressWarmUp() }
    /// The time that the machine had slept when logind reported last.
    private var slept = Duration.zero

    init(_ log: Logger) throws {
        self.log = log
        let configuration = Self.configuration(log)
        let sockets = ActivatedSocket.takeAll()
        let peers = RateLimitedLog(log)
        server = AudioServer(applicationName: "Push to talk", ownDeviceProperty: VirtualMicrophoneDevice.mark)
        let headsetMode = configuration.bluetoothHeadset.flatMap { .init(rawValue: $0) } ?? HeadsetMode.music
        let state = UserDirectory.state.path.map { $0 + "/pushtotalk" }
        Self.rememberMicrophone(of: server, in: state, log: peers)
        let headset = BluetoothHeadset(headsetMode, server: server, directory: state, log: peers)
        self.headset = headset
        let duckingMode = configuration.ducking.flatMap { .init(rawValue: $0) } ?? DuckingMode.off
        ducking = Ducking(duckingMode, server: server, directory: state, log: peers)
        let audio = try AudioSocket(adopting: try RuntimeSocket.audio.listen(sockets), peers: peers)
        let sounds = ToneSounds(configuration.tones) { log.error("\($0)") }
        let backends = TalkSessionHost.Backends(
            audio: audio,
            microphone: Microphone(
                server: server,
                preferences: configuration.microphone?.names ?? [],
                log: peers
            ),
            speaker: Speaker(server: server, log: peers),
            tones: TonePlayer(server: server, sounds: sounds, log: peers),
            virtualMicrophone: VirtualMicrophoneDevice(
                server: server,
                isWanted: configuration.virtualMicrophone ?? true,
                log: peers
            ),
            store: StateStore(state, aside: try RuntimeSocket.directory(), log: peers),
            starter: ApplicationStarter(log: peers)
        )
        let session = TalkSession(
            timeLimit: configuration.timeLimit.map { .seconds($0) } ?? TalkSession.defaultTimeLimit,
            releaseLag: .milliseconds(configuration.releaseLag ?? 0),
            whileLocked: configuration.whileLocked.flatMap { .init(rawValue: $0) } ?? .allow,
            emergencyDuringCalls: configuration.emergencyDuringCalls ?? false,
            isSessionKnown: false
        )
        let host = TalkSessionHost(session, backends, log: log, peers: peers)
        self.host = host
        host.observers = [{ backends.tones.update(after: $0) }]
        if headsetMode == .channel { host.observers.append { headset?.update(after: $0) } }
        if configuration.indicator ?? true {
            let indicator = IndicatorStarter(log: peers)
            host.observers.append { indicator.update(after: $0) }
        }
        // First, so that no application is started for a channel that the policy forbids.
        policy = PolicyWatch(log: peers) { host.post(.policyChanged($0)) }
        host.restore()
        let listening = try RuntimeSocket.core.listen(sockets)
        service = try CoreService(host: host, audio: audio, adopting: listening, peers: peers)
        if headsetMode != .music { backends.microphone.headset = headset }
        if duckingMode != .off { backends.microphone.ducking = ducking }
        if configuration.calls ?? true { watchCalls(configuration.callApplications ?? [], peers) }
        watchSystem()
        ServiceState.ready(status: "waiting for a press")
        log.info("ready")
        // After everything that has arrived meanwhile.
        warmUp.trigger()
    }

    /// The default source may already be the Push-to-Talk Microphone when this program starts.
    private static func rememberMicrophone(
        of server: AudioServer,
        in directory: String?,
        log: RateLimitedLog
    ) {
        let consequence = "another microphone may be used while the Push-to-Talk Microphone is the default"
        let file = ChangeFile<String>("microphone.json", in: directory, consequence: consequence, log: log)
        server.previousDefault.name = file.read().last
        server.previousDefault.changed = { file.write([$0]) }
    }

    private func watchSystem() {
        server.stateChanged = { [weak self, host, calls, headset, ducking] state in
            switch state {
            case .ready: if let calls { calls.serverIsReady() } else { self?.soundIsReady() }
            case .closed, .connecting, .lost:
                host.post(.audioServerLost)
                host.backends.virtualMicrophone.serverChanged(isReady: false)
                calls?.serverIsLost()
                headset?.serverIsLost()
                ducking?.serverIsLost()
            }
        }
        host.backends.virtualMicrophone.start()
        server.connect()
        sessionLimit = TimerSource { [weak self] in self?.sessionIsKnown() }
        sessionLimit?.arm(after: .seconds(5))
        let delay = (who: "Push to talk", why: "The microphone must be closed")
        slept = LogindWatch.slept
        logind = LogindWatch(delayingSleep: delay, log: log) { [weak self, host, policy] event in
            // Closed times may have begun and ended while the machine slept.
            if event == .resumed {
                policy.evaluate()
                self?.postSleep()
            }
            host.post(TalkSession.Event(event))
            self?.sessionIsKnown()
        }
    }

    /// logind has said whether this session is active, or has not answered in time.
    private func sessionIsKnown() {
        guard sessionLimit != nil, !isStopping else { return }
        sessionLimit = nil
        soundIsReady()
    }

    /// A press needs all three: a client that has waited for the sound server is not refused because logind
    /// answers later, and no press opens the microphone in a call of which nothing has answered yet.
    private func soundIsReady() {
        guard case .ready = server.state, sessionLimit == nil, calls?.areKnown ?? true else {
            return
        }
        host.post(.audioServerReady)
        host.backends.microphone.serverIsReady()
        host.backends.virtualMicrophone.serverChanged(isReady: true)
        headset?.serverIsReady()
        ducking?.serverIsReady()
    }

    private func watchCalls(_ applications: [String], _ peers: RateLimitedLog) {
        let calls = CallWatch(server: server, callApplications: applications, log: peers)
        calls.changed = { [host] in host.post(.callChanged($0)) }
        calls.recordersChanged = { [host] in host.post(.recordersChanged($0)) }
        calls.known = { [weak self] in self?.soundIsReady() }
        self.calls = calls
    }

    private func postSleep() {
        let total = LogindWatch.slept
        host.post(.slept(seconds: Int((total - slept).components.seconds)))
        slept = total
    }

    func stop() {
        guard !isStopping else { return }
        isStopping = true
        ServiceState.stopping()
        host.post(.shuttingDown)
        host.backends.store.whenSettled { [service, server, host, headset, ducking] in
            service.close()
            let exit: @EventLoop () -> Void = {
                server.close()
                EventLoop.exit(code: EXIT_SUCCESS)
            }
            let restore: @EventLoop () -> Void = {
                if let ducking { ducking.stop(then: exit) } else { exit() }
            }
            // The modules of the virtual microphone stay, and deliver silence.
            host.backends.virtualMicrophone.whenSilent {
                if let headset { headset.stop(then: restore) } else { restore() }
            }
        }
    }

    /// A file that cannot be used is logged; the core starts with what the others say.
    private static func configuration(_ log: Logger) -> Configuration {
        if UserDirectory.configuration.path == nil {
            log.error("HOME is not set: nothing of this user is read, and no channel is kept over a restart")
        }
        let (value, unusable) = Configuration.load()
        for file in unusable {
            log.error("\(file). Nothing in it applies, and a locked screen refuses")
        }
        return value
    }
}

extension TalkSession.Event {
    fileprivate init(_ event: LogindWatch.Event) {
        self =
            switch event {
            case .suspending: .systemSuspending
            case .resumed: .systemResumed
            case .locked: .sessionLocked
            case .unlocked: .sessionUnlocked
            case .inactive: .sessionInactive
            case .active: .sessionActive
            }
    }
}
