import DBus
import EventLoop
import Glibc
import IndicatorCore
import Logging
import PTTMessages
import ServiceClient

/// Hosts the state machine: passes it one event at a time, and carries out its effects.
@EventLoop
final class IndicatorHost {
    /// On the session bus. Its owner is the one indicator of the session.
    private static let name = "org.pushtotalk.Indicator"
    /// EX_UNAVAILABLE of sysexits.h: another one runs. The unit counts it as a success, so that it is not tried again.
    private static let anotherRuns: Int32 = 69

    private let log: Logger
    private let exit: @EventLoop (Int32) -> Void
    private var indicator = Indicator()
    private var inbox: [Indicator.Event] = []
    private var isHandling = false
    private let core: CoreConnection
    private var bus: Bus?
    private lazy var timer = TimerSource { [weak self] in self?.post(.timerFired) }

    /// `exit` is called with the status of the process when it is to end.
    init(log: Logger, exit: @escaping @EventLoop (Int32) -> Void) {
        self.log = log
        self.exit = exit
        core = CoreConnection(log: log)
        core.updated = { [weak self] in self?.post(.core($0)) }
        core.lost = { [weak self] in self?.post(.coreLost) }
    }

    func start() {
        bus = Bus(.session) { [weak self] in self?.handle($0) }
        // Without a core that answers, the program ends after a while.
        post(.coreLost)
        core.start()
    }

    /// Ends what was begun, and removes what is shown.
    func close() {
        core.close()
        bus?.close()
        bus = nil
    }

    /// Puts an event into the inbox. It is handled now or, from within an effect, right after the current event.
    func post(_ event: Indicator.Event) {
        inbox.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !inbox.isEmpty {
            let event = inbox.removeFirst()
            let effects = indicator.handle(event, at: .now)
            if log.logLevel <= .debug {
                log.debug("\(event)")
                for effect in effects { log.debug("  \(effect)") }
            }
            for effect in effects { perform(effect) }
        }
        isHandling = false
    }

    private func perform(_ effect: Indicator.Effect) {
        switch effect {
        case .begin(let origin, let channelID): core.begin(origin, in: channelID)
        case .end(let origin): core.end(origin)
        case .stop(let channelID): core.stop(channelID)
        case .leave(let channelID): core.leave(channelID)
        case .showPanel: break
        case .fetchImage(let imageID): post(.imageUnusable(imageID))
        case .dropImage: break
        case .notify, .closeNotice: break
        case .showPlayer, .hidePlayer: break
        case .arm(let time): timer.arm(at: MonotonicInstant(time))
        case .disarm: timer.disarm()
        case .exit(let reason):
            switch reason {
            case .channelLeft: log.info("the channel was left")
            case .coreGone: log.notice("pttd does not run")
            }
            close()
            exit(EXIT_SUCCESS)
        }
    }

    // MARK: - The session bus

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            EventLoop.start { [weak self] in await self?.claim(connection) }
        case .disconnected(let error):
            log.notice("\(error)")
        }
    }

    private func claim(_ connection: BusConnection) async {
        do throws(BusError) {
            switch try await connection.requestName(Self.name) {
            case .acquired: connected(connection)
            case .taken:
                log.error("another ptt-indicator runs in this session")
                close()
                exit(Self.anotherRuns)
            }
        } catch {
            // The end of the connection is reported on its own.
            log.notice("\(error)")
        }
    }

    /// Each surface begins anew on a new connection.
    private func connected(_ connection: BusConnection) {
    }
}
