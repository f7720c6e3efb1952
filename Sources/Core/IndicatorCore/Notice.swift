package import PTTMessages

/// The one notification of a channel: what it is to show, and when the notification daemon is called.
///
/// One call is outstanding at a time. One that is not answered in time may have been lost, and is made again
/// after a while with what is to be shown by then: a daemon that never answers costs little. If both are
/// answered, the caller closes the notification of the first.
package struct Notice: Equatable, Sendable {
    package enum Event: Equatable, Sendable {
        case busConnected
        /// Calls are not answered any more.
        case busLost
        /// The daemon has ended, or another one has appeared. Not the first observation: the first call
        /// starts a daemon that is not running.
        case serviceChanged(isThere: Bool)
        /// The answer to the last ``Indicator/Effect/askNoticeCapabilities``; nil: it failed.
        case capabilities(Set<String>?)
        /// The answer to the last ``Indicator/Effect/notify(_:replacing:)``: the identifier; nil: it failed.
        case shown(UInt32?)
        /// The answer is late. It may still come.
        case overdue
        case actionInvoked(id: UInt32, Action)
        /// - Parameter isDismissed: A person has closed it.
        case closed(id: UInt32, isDismissed: Bool)
        /// ``deadline`` has come.
        case timerFired
    }

    private enum Service: Equatable {
        case unknown
        case ready(Set<String>)
        /// There is no bus, or it has no such daemon, or that does not say what it can. The next one that
        /// appears is asked.
        case absent
    }

    /// The shortest time between two changes.
    static let interval = Duration.seconds(1)
    /// The time until a call that is overdue is made again: doubled for each further one.
    private static let shortestDelay = Duration.seconds(5)

    private let settings: IndicatorSettings
    private var view: Destination?
    private var service = Service.absent
    private var isCalling = false
    /// The calls in a row that were not answered in time.
    private var overdueCalls = 0
    /// The time of the next call to a daemon that has not answered the last one in time.
    private var nextAttempt: MonotonicTime?
    /// Of the notification that the daemon shows; 0 if there is none.
    private var identifier: UInt32 = 0
    /// The content that was shown last, also if it is gone meanwhile.
    private var shown: Content?
    /// The last states that the daemon was asked to show, and has shown: nobody has dismissed anything else.
    private var (asked, seen): (Destination?, Destination?)
    private var lastChange: MonotonicTime?
    private var isDismissed = false
    /// An action was invoked since the last change: daemons close the notification for it with the same
    /// reason as for a dismissal (measured: xfce4-notifyd 0.7.3).
    private var isActionInvoked = false
    /// The time at which a change that came too early is due.
    package private(set) var deadline: MonotonicTime?

    package init(_ settings: IndicatorSettings) { self.settings = settings }

    /// Returns true if the daemon's identifier is that of our notification. Signals about all notifications
    /// may be received.
    package func isOurs(_ identifier: UInt32) -> Bool { identifier != 0 && identifier == self.identifier }

    /// True if our notification is there, or will be in a moment. While the daemon hangs, the one that is
    /// there does not show what has happened since.
    var isShown: Bool { overdueCalls == 0 && (identifier != 0 || isCalling || deadline != nil) }

    /// True if the daemon may have made our notification, and nobody could close it yet.
    var isWithoutIdentifier: Bool {
        guard case .ready = service else { return false }
        return (isCalling || overdueCalls > 0) && identifier == 0
    }

    /// Returns true if an event, which has not been handled yet, takes our notification from the screen, and
    /// is no answer to a button.
    func isLost(after event: Event) -> Bool {
        switch event {
        // The daemon of one that was asked for anew, at the lock for example, may have shown it already.
        case .busLost, .serviceChanged: identifier != 0 || isWithoutIdentifier
        case .closed(let identifier, let isDismissed):
            isOurs(identifier) && !isActionInvoked && isDismissed
        case .busConnected, .capabilities, .shown, .overdue, .actionInvoked, .timerFired: false
        }
    }

    /// The channel or the call has changed; nil: it was left or has ended, or the core is gone.
    package mutating func update(_ view: Destination?, at now: MonotonicTime) -> [Indicator.Effect] {
        if endsDismissal(view, after: self.view) { isDismissed = false }
        // The same person who speaks again, and the same message, are shown again.
        if isNews(view, after: self.view), identifier == 0 { shown = nil }
        // What the button has done is shown at once.
        if isActionInvoked, identifier == 0, view != self.view {
            (isActionInvoked, lastChange) = (false, nil)
        }
        self.view = view
        return reconcile(at: now)
    }

    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Indicator.Effect] {
        switch event {
        case .busConnected:
            service = .unknown
        case .busLost:
            (service, identifier, shown) = (.absent, 0, nil)
            answered()
        case .serviceChanged(let isThere):
            (identifier, service) = (0, .unknown)
            (overdueCalls, nextAttempt) = (0, nil)
            // Its end is no reason to start it again: it may have ended because of what was shown. The next
            // change does.
            shown = isThere ? nil : wanted
        case .capabilities(let capabilities):
            answered()
            service = capabilities.map { .ready($0) } ?? .absent
        case .shown(let identifier):
            answered()
            isActionInvoked = false
            // What failed is not repeated: the next change is another attempt. Meanwhile the notification
            // that was to be replaced would say what is not so any more.
            guard let identifier else { return closeShown() + reconcile(at: now) }
            (self.identifier, seen) = (identifier, asked)
        case .overdue:
            guard isCalling else { return [] }
            nextAttempt = now + Self.shortestDelay * (1 << overdueCalls)
            (isCalling, overdueCalls) = (false, overdueCalls + 1)
        case .actionInvoked(let identifier, _):
            if isOurs(identifier) { isActionInvoked = true }
        case .closed(let identifier, let isDismissed):
            guard isOurs(identifier) else { return [] }
            self.identifier = 0
            if isActionInvoked {
                // It is there again with what the button does, or after a moment: by then nothing else comes.
                (shown, lastChange) = (nil, now)
            } else if isDismissed {
                self.isDismissed = !endsDismissal(view, after: seen)
            }
        case .timerFired:
            break
        }
        return reconcile(at: now)
    }

    private mutating func answered() { (isCalling, overdueCalls, nextAttempt) = (false, 0, nil) }

    /// Another speaker, or another message.
    private func isNews(_ view: Destination?, after former: Destination?) -> Bool {
        view?.speaker != nil && view?.speaker?.name != former?.speaker?.name
            || view?.message != nil && view?.message != former?.message
    }

    private func endsDismissal(_ view: Destination?, after former: Destination?) -> Bool {
        view == nil || view?.channelID != former?.channelID || isNews(view, after: former)
    }

    private var wanted: Content? {
        guard let view, !isDismissed else { return nil }
        let capabilities: Set<String> =
            if case .ready(let capabilities) = service { capabilities } else { [] }
        return Content(view, settings, capabilities)
    }

    private mutating func reconcile(at now: MonotonicTime) -> [Indicator.Effect] {
        deadline = nil
        guard !isCalling else { return [] }
        guard let wanted else {
            shown = nil
            return closeShown()
        }
        guard service != .absent, wanted != shown || nextAttempt != nil else { return [] }
        if let nextAttempt, nextAttempt > now, !hidesNames(wanted) {
            deadline = nextAttempt
            return []
        }
        if service == .unknown {
            (isCalling, nextAttempt) = (true, nil)
            return [.askNoticeCapabilities]
        }
        if let lastChange, lastChange + Self.interval > now, !hidesNames(wanted), !addsPicture(wanted) {
            deadline = lastChange + Self.interval
            return []
        }
        // GNOME's lock screen decides whether it shows the text when a notification appears, and not again
        // when that is replaced.
        let closing = wanted.isOnLockScreen ? closeShown() : []
        (isCalling, nextAttempt) = (true, nil)
        (lastChange, shown, asked) = (now, wanted, view)
        return closing + [.notify(wanted, replacing: identifier)]
    }

    private mutating func closeShown() -> [Indicator.Effect] {
        defer { identifier = 0 }
        return identifier == 0 ? [] : [.closeNotice(id: identifier)]
    }

    /// The picture of the person who is shown is fetched and decoded meanwhile: it is no other person.
    private func addsPicture(_ wanted: Content) -> Bool {
        guard var shown, shown.imageID == nil else { return false }
        shown.imageID = wanted.imageID
        return shown == wanted
    }

    /// Names leave a screen that is locked at once.
    private func hidesNames(_ wanted: Content) -> Bool {
        wanted.isOnLockScreen && shown?.isOnLockScreen == false
    }
}
