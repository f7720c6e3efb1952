import Bitmap
import DBus
import EventLoop
import IndicatorCore
import Invocation
import Logging
import PTTMessages

/// The desktop's notification daemon (Desktop Notifications Specification, org.freedesktop.Notifications).
///
/// ``Notice`` decides; this makes its calls. One object for each connection to the bus.
@EventLoop
final class NotificationService {
    private static let daemon = RemoteInterface(
        service: "org.freedesktop.Notifications",
        path: "/org/freedesktop/Notifications",
        name: "org.freedesktop.Notifications"
    )
    private static let application = Text("Push to talk")
    private static let desktopEntry = "org.pushtotalk.Indicator"
    /// Nobody can close a notification whose identifier comes later.
    private static let patience = Duration.seconds(3600)

    private let connection: BusConnection
    private let pictures: Pictures
    private let log: Logger
    private let post: @EventLoop (Indicator.Event) -> Void
    private var watch: Subscription?
    /// Nil before the first report.
    private var owner: String??
    /// Only while a notification of ours is there: daemons report what happens to the notifications of all.
    private var signals: [Subscription] = []
    /// Of the notification that is there; in the first moment, of one that a crash has left.
    private var record: NotificationRecord
    /// The identifier of the notification that is there.
    private var shown: UInt32? {
        didSet {
            let daemon = owner.flatMap(\.self)
            record.set(daemon.flatMap { daemon in shown.map { .init(daemon: daemon, identifier: $0) } })
            updateSignals()
        }
    }
    private var isCalling = false { didSet { updateSignals() } }
    /// The number of the call whose answer counts: one that was not answered in time is made again.
    private var lastCall = 0
    /// The notifications of calls that were answered after they had been made again.
    private var surplus: Set<UInt32> = []

    /// `post` receives what happens to the notification.
    init(
        on connection: BusConnection,
        pictures: Pictures,
        log: Logger,
        post: @escaping @EventLoop (Indicator.Event) -> Void
    ) {
        self.connection = connection
        self.pictures = pictures
        self.log = log
        self.post = post
        record = NotificationRecord(log: log)
        watch = connection.watchName(Self.daemon.service) { [weak self] in self?.ownerChanged(to: $0) }
    }

    private func ownerChanged(to owner: String?) {
        let former = self.owner
        self.owner = owner
        guard let former else {
            // The first report is no change.
            closeLeft(from: owner)
            return
        }
        guard former != owner else { return }
        shown = nil
        surplus = []
        post(.notice(.serviceChanged(isThere: owner != nil)))
    }

    /// Closes the notification of an indicator that crashed, unless its daemon has gone too.
    private func closeLeft(from owner: String?) {
        guard let left = record.entry else { return }
        if left.daemon == owner { close(left.identifier) } else { record.set(nil) }
    }

    func askCapabilities() {
        // The answer to a call of Notify that is overdue does not count any more.
        isCalling = false
        call("GetCapabilities") { service, result in
            switch result {
            case .success(let values):
                service.post(.notice(.capabilities(Set(values.first?.asStrings ?? []))))
            case .failure(let error):
                service.log.info("no notifications: \(error)")
                service.post(.notice(.capabilities(nil)))
            }
        }
    }

    func show(_ content: Notice.Content, replacing identifier: UInt32) {
        isCalling = true
        call("Notify", arguments(content, identifier)) { service, result in
            var identifier: UInt32?
            switch result {
            case .success(let values):
                if case .uint32(let value)? = values.first { identifier = value }
            case .failure(let error):
                service.log.info("\(error)")
            }
            service.didShow(identifier)
        }
    }

    private func call(
        _ member: String,
        _ arguments: [BusValue] = [],
        then: @escaping @EventLoop (NotificationService, Result<[BusValue], BusError>) -> Void
    ) {
        lastCall += 1
        let number = lastCall
        connection.call(
            Self.daemon.call(member, arguments),
            patience: Self.patience,
            overdue: { [weak self] in
                self?.log.info("no answer to \(member) yet: the notification daemon is slow, or hangs")
                self?.post(.notice(.overdue))
            },
            completion: { [weak self] result in
                guard let self else { return }
                if number == lastCall { then(self, result) } else { receiveLate(result) }
            }
        )
    }

    /// Takes the answer to a call that was made again: what it has shown is there twice. It is closed when
    /// the last call is answered, since a daemon may have taken both for the same one.
    private func receiveLate(_ result: Result<[BusValue], BusError>) {
        // What failed shows nothing, and what the daemon can was asked again.
        guard case .success(let values) = result, case .uint32(let identifier)? = values.first else { return }
        surplus.insert(identifier)
        if !isCalling { closeSurplus() }
    }

    private func closeSurplus() {
        for identifier in surplus where identifier != shown { sendClose(identifier) }
        surplus = []
    }

    private func didShow(_ identifier: UInt32?) {
        // First what is shown: between the two there would be no subscription.
        shown = identifier ?? shown
        isCalling = false
        closeSurplus()
        post(.notice(.shown(identifier)))
    }

    func close(_ identifier: UInt32) {
        shown = nil
        sendClose(identifier)
    }

    private func sendClose(_ identifier: UInt32) {
        let call = Self.daemon.call("CloseNotification", [.uint32(identifier)], startsService: false)
        // It may have closed by itself meanwhile.
        connection.call(call) { _ in }
    }

    /// The indicator ends.
    func closeShown() {
        closeSurplus()
        if let shown { close(shown) }
    }

    private func arguments(_ content: Notice.Content, _ identifier: UInt32) -> [BusValue] {
        var hints: [BusKey: BusValue] = [
            "desktop-entry": .string(Self.desktopEntry),
            "urgency": .byte(content.urgency.rawValue),
            // A microphone may be open.
            "suppress-sound": .boolean(true),
        ]
        // The buttons of one that is resident stay after a click.
        hints[content.stays ? "resident" : "transient"] = .boolean(true)
        // GNOME shows the text of such a notification while the screen is locked.
        if content.isOnLockScreen { hints["x-gnome-privacy-scope"] = .string("system") }
        if let picture = content.imageID.flatMap({ pictures.picture($0) }) {
            hints["image-data"] = picture.notification.value
        }
        // 0: it stays; -1: the daemon's own time.
        let timeout: Int32 = content.stays ? 0 : -1
        return [
            .string(Self.application.localized), .uint32(identifier), .string("audio-input-microphone"),
            .string(content.summary.localized), .string(content.escaped(content.body.localized)),
            .strings(content.actions.flatMap { [$0.rawValue, $0.label.localized] }), .properties(hints),
            .int32(timeout),
        ]
    }

    // MARK: - Signals

    private func updateSignals() {
        guard isCalling || shown != nil else {
            signals = []
            return
        }
        guard signals.isEmpty else { return }
        signals = [
            subscribe("ActionInvoked") { service, identifier, argument in
                guard let action = argument.asString.flatMap({ Notice.Action(rawValue: $0) }) else { return }
                service.post(.notice(.actionInvoked(id: identifier, action)))
            },
            subscribe("NotificationClosed") { service, identifier, argument in
                service.shown = nil
                // 2: a person has dismissed it (Desktop Notifications Specification, "NotificationClosed").
                service.post(.notice(.closed(id: identifier, isDismissed: argument.asInt == 2)))
            },
        ]
    }

    /// Signals about our notification.
    private func subscribe(
        _ member: String,
        _ handler: @escaping @EventLoop (NotificationService, UInt32, BusValue) -> Void
    ) -> Subscription {
        connection.subscribe(Self.daemon.signal(member)) { [weak self] signal in
            guard let self, signal.arguments.count == 2,
                case .uint32(let identifier) = signal.arguments[0], identifier == shown
            else { return }
            handler(self, identifier, signal.arguments[1])
        }
    }
}

extension Bitmap {
    /// The hint `image-data`: width, height, bytes of a row, whether there is alpha, bits of a sample,
    /// samples of a pixel, and the pixels.
    fileprivate var value: BusValue {
        let size = Int32(size)
        return .structure([
            .int32(size), .int32(size), .int32(size * 4), .boolean(true), .int32(8), .int32(4), .bytes(rgba),
        ])
    }
}
