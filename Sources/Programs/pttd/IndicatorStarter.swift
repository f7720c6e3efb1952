import DBus
import EventLoop
import Journal
import Logging
import PTTMessages

/// Starts `ptt-indicator`, which shows on the desktop where a press goes, whenever a channel is joined or a
/// program begins to record from the Push-to-Talk Microphone. It ends by itself when neither is so.
///
/// The end of the graphical session stops it, and this process may live on: the next session has it started
/// again.
///
/// Not the desktop's own start of programs: many desktops have none, and otherwise nothing is to run.
@EventLoop
final class IndicatorStarter {
    /// The name says to desktops whose windows, shortcuts and notifications these are (Desktop Environment
    /// Conventions of systemd.io).
    private static let unit = "app-org.pushtotalk.Indicator.service"
    static let manager = RemoteInterface(
        service: "org.freedesktop.systemd1",
        path: "/org/freedesktop/systemd1",
        name: "org.freedesktop.systemd1.Manager"
    )
    /// The graphical session. Many desktops do without it, and then nothing stops the indicator.
    private static let session = RemoteInterface(
        service: manager.service,
        path: "/org/freedesktop/systemd1/unit/graphical_2dsession_2etarget",
        name: "org.freedesktop.systemd1.Unit"
    )

    private let log: RateLimitedLog
    private var isJoined = false { didSet { updateBus() } }
    private var isRecorded = false { didSet { updateBus() } }
    /// While there is something to show.
    private var bus: Bus?
    private var subscriptions: [Subscription] = []
    /// To be started as soon as there is a service manager.
    private var isDue = false
    /// Nil before the first report.
    private var hasSession: Bool?

    init(log: RateLimitedLog) {
        self.log = log
    }

    func update(after event: CoreEvent) {
        // Also of a channel that was kept over a restart.
        if case .channelJoined = event {
            isJoined = true
            start()
        }
        if case .channelLeft = event { isJoined = false }
        guard case .virtualMicrophoneChanged(let microphone) = event else { return }
        let wasRecorded = isRecorded
        isRecorded = if case .recorded = microphone { true } else { false }
        if isRecorded, !wasRecorded { start() }
    }

    private func updateBus() {
        if !isJoined, !isRecorded {
            (bus, subscriptions, isDue, hasSession) = (nil, [], false, nil)
        } else if bus == nil {
            bus = Bus(.session) { [weak self] in self?.handle($0) }
        }
    }

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            subscriptions = [
                connection.subscribe(Self.session.propertyChanges) { [weak self] signal in
                    self?.sessionChanged(to: signal.propertyChanges?.changed["ActiveState"])
                },
                connection.watchName(Self.manager.service) { [weak self] owner in
                    if owner != nil { self?.managerAppeared() }
                },
            ]
        case .disconnected: subscriptions = []
        }
    }

    private func managerAppeared() {
        // It reports what happens to this unit, and to no other. One that cannot do it has no such session.
        bus?.connection?.call(Self.manager.call("RefUnit", [.string("graphical-session.target")])) { _ in }
        bus?.connection?.call(Self.session.get("ActiveState")) { [weak self] result in
            if case .success(let values) = result { self?.sessionChanged(to: values.first) }
        }
        if isDue { start() }
    }

    /// It is reported as active again and again, also while it is about to end.
    private func sessionChanged(to state: BusValue?) {
        guard let state = state?.asString else { return }
        let isActive = state == "active"
        if isActive, hasSession == false { start() }
        hasSession = isActive
    }

    /// Starts it unless it runs. A machine without it, or without a service manager, is not at fault.
    private func start() {
        isDue = bus?.connection == nil
        let arguments: [BusValue] = [.string(Self.unit), .string("replace")]
        bus?.connection?.call(Self.manager.call("StartUnit", arguments)) { [log] result in
            guard case .failure(let error) = result else { return }
            let reason: Logger.Metadata = ["reason": "\(error)"]
            log.log(level: .debug, "the indicator was not started", metadata: reason)
        }
    }
}
