import DBus
import EventLoop
import Glibc
import IndicatorCore
import Logging
import Logind
import PTTMessages
import ServiceClient

/// Hosts the state machine: passes it one event at a time, and carries out its effects.
@EventLoop
final class IndicatorHost {
    /// On the session bus. Its owner is the one indicator of the session.
    private static let name = "org.pushtotalk.Indicator"
    /// EX_UNAVAILABLE of sysexits.h: another one runs. The unit counts it as a success, so that it is not
    /// tried again.
    private static let anotherRuns: Int32 = 69

    private let log: Logger
    private let settings: IndicatorSettings
    private var indicator: Indicator
    private var inbox: [Indicator.Event] = []
    private var isHandling = false
    private lazy var core = CoreRequests(log: log) { [weak self] in self?.post($0) }
    private lazy var pictures = Pictures(core: core, log: log) { [weak self] in self?.post($0) }
    private lazy var panel = Panel(pictures: pictures, log: log) { [weak self] in self?.post($0) }
    private var bus: Bus?
    private var logind: LogindWatch?
    private var notifications: NotificationService?
    private var shortcuts: ShortcutPortal?
    private var player: PlayerObject?
    /// The content that is to be shown again on the next connection.
    private var playerContent: MediaPlayer?
    private lazy var timer = TimerSource { [weak self] in self?.post(.timerFired) }

    init(_ settings: IndicatorSettings, log: Logger) {
        self.settings = settings
        self.log = log
        indicator = Indicator(settings)
    }

    func start() {
        bus = Bus(.session) { [weak self] in self?.handle($0) }
        // Without a core that answers, the program ends after a while.
        post(.coreLost)
        core.start()
        logind = LogindWatch(delayingSleep: nil, log: log) { [weak self] in self?.handle($0) }
    }

    /// Ends what was begun, and removes what is shown.
    func close() {
        core.close()
        notifications?.closeShown()
        player?.show(nil)
        (bus, logind, notifications, shortcuts, player) = (nil, nil, nil, nil, nil)
    }

    /// Puts an event into the inbox. It is handled now or, from within an effect, right after the current
    /// event.
    func post(_ event: Indicator.Event) {
        inbox.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !inbox.isEmpty {
            let event = inbox.removeFirst()
            let effects = indicator.handle(event, at: .now)
            log.debug("\(event)")
            for effect in effects { log.debug("  \(effect)") }
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
        case .chooseKey: shortcuts?.chooseKey()
        case .showPanel(let item): panel.show(item)
        case .fetchImage(let imageID): pictures.fetch(imageID)
        case .dropImage(let imageID): pictures.drop(imageID)
        case .askNoticeCapabilities: notifications?.askCapabilities()
        case .notify(let content, let number): notifications?.show(content, replacing: number)
        case .closeNotice(let id): notifications?.close(id)
        case .log(let line): log.notice("\(line)")
        case .showPlayer(let content):
            playerContent = content
            player?.show(content)
        case .arm(let time): timer.arm(at: MonotonicInstant(time))
        case .disarm: timer.disarm()
        case .exit(let reason):
            switch reason {
            case .nothingToShow:
                log.info("no channel is joined, and nothing records from the Push-to-Talk Microphone")
            case .coreGone: log.notice("pttd does not run")
            }
            close()
            EventLoop.exit(code: EXIT_SUCCESS)
        }
    }

    // MARK: - The session bus

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            EventLoop.start { [weak self] in await self?.claim(connection) }
        case .disconnected(let error):
            log.notice("\(error)")
            panel.disconnected()
            (notifications, shortcuts, player) = (nil, nil, nil)
            post(.key(.lost(.busLost)))
            post(.keyChoiceChanged(isOffered: false))
            post(.notice(.busLost))
        }
    }

    private func claim(_ connection: BusConnection) async {
        do throws(BusError) {
            guard try await connection.requestName(Self.name) else {
                log.error("another ptt-indicator runs in this session")
                close()
                EventLoop.exit(code: Self.anotherRuns)
                return
            }
            connected(connection)
        } catch {
            // The end of the connection is reported on its own.
            log.notice("\(error)")
        }
    }

    /// Each surface begins anew on a new connection.
    private func connected(_ connection: BusConnection) {
        panel.connected(connection)
        let post: @EventLoop (Indicator.Event) -> Void = { [weak self] in self?.post($0) }
        if settings.notifications {
            notifications = NotificationService(on: connection, pictures: pictures, log: log, post: post)
            post(.notice(.busConnected))
        }
        if settings.key { shortcuts = ShortcutPortal(on: connection, log: log, post: post) }
        if settings.lockScreen == .media {
            player = PlayerObject(on: connection, log: log) { post(.playerStopRequested) }
            player?.show(playerContent)
        }
    }

    // MARK: - logind

    private func handle(_ event: LogindWatch.Event) {
        switch event {
        case .locked: post(.screenLocked(true))
        case .unlocked: post(.screenLocked(false))
        case .suspending: post(.key(.lost(.suspended)))
        case .inactive: post(.key(.lost(.sessionInactive)))
        case .resumed, .active: post(.sessionResumed)
        }
    }
}
