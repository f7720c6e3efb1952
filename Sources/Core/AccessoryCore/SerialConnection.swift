package import PTTMessages

/// The connection to the serial port of one accessory: when to try, by which way, and when to wait without a
/// timer.
///
/// The open port is the truth, not the answer of a call. bluetoothd passes the port in a call of its own
/// (`Profile1.NewConnection`), which comes before the answer of `ConnectProfile`, or with none pending; and
/// it answers without passing a port if it regards the profile as connected already.
///
/// BlueZ does not bring a serial port back after a loss, and an attempt to connect costs seconds of the
/// adapter's time (a page). Therefore the delays grow, and after ``attempts`` without an answer the accessory
/// counts as switched off: from then on there is no timer, only a sign of the accessory or of a person
/// (``Event/linkUp``, ``Event/wanted``).
package struct SerialConnection: Equatable, Sendable {
    /// The decision of bluetoothd on whether it passes serial ports to this program.
    package enum Registration: Equatable, Sendable {
        case accepted
        /// Another program has registered the service class, and only one in all of bluetoothd can; or it is
        /// not registered yet, because an attempt has failed.
        case refused
    }

    package enum Route: Equatable, Sendable {
        /// Opened by bluetoothd, which keeps a copy of the descriptor.
        case profile
        /// An RFCOMM socket of this program.
        case direct
    }

    package enum Failure: Equatable, Sendable {
        /// The accessory did not answer, or the adapter was busy.
        case unanswered
        /// The accessory is there, and the port was not opened.
        case refused
    }

    enum State: Equatable, Sendable {
        /// bluetoothd does not run, its adapter is off, or our registration is not answered.
        case unavailable
        case connecting
        /// bluetoothd regards the profile as connected, without a port of ours: it is being disconnected.
        case disconnecting
        case connectingDirectly
        case open(Route, since: MonotonicTime)
        case waiting(until: MonotonicTime)
        /// Until a sign that it is there again.
        case dormant
    }

    /// Attempts in a row without an answer until the accessory counts as switched off: about five minutes
    /// with the delays.
    package static let attempts = 9
    /// Attempts through bluetoothd that the accessory may refuse before a socket of our own is tried. The
    /// first often fails (AINA Voice Responder).
    static let refusals = 3
    private static let refusalDelay = Duration.milliseconds(400)
    /// While the link to the accessory is up an attempt needs no page.
    private static let longestDelay = (isLinkUp: Duration.seconds(60), isLinkDown: Duration.seconds(256))
    /// A port that was open for this long counts as a success. One that is opened and closed again and again
    /// is not to be opened each time at once.
    private static let stableTime = Duration.seconds(5)

    var state = State.unavailable
    private var registration = Registration.accepted
    private var isLinkUp = false
    /// Attempts in a row without a stable port.
    private var failures = 0
    private var refusals = 0
    /// True if the last port was opened directly after bluetoothd had failed: its authentication is broken.
    private var prefersDirect = false
    private var timer: MonotonicTime?

    package init() {}

    package var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// Handles an event. Its time never decreases from event to event.
    ///
    /// - Returns: The orders to the shell, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        if event == .timerFired { timer = nil }
        var effects = transition(event, at: now)
        var deadline: MonotonicTime?
        if case .waiting(let until) = state { deadline = until }
        if deadline != timer {
            timer = deadline
            effects.append(deadline.map { .setTimer($0) } ?? .cancelTimer)
        }
        return effects
    }

    private mutating func transition(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .available(let registration): return available(registration)
        case .bluetoothLost: return leave(for: .unavailable)
        case .dismissed: return dismissed()
        case .linkUp:
            isLinkUp = true
            return wanted()
        case .linkDown:
            isLinkUp = false
            return portClosed(at: now)
        case .wanted: return wanted()
        case .profileConnected:
            guard state == .connecting else { return [] }
            state = .disconnecting
            return [.disconnectProfile]
        case .profileFailed(let failure):
            guard state == .connecting else { return [] }
            return failed(failure, at: now)
        case .profileDisconnected:
            guard state == .disconnecting else { return [] }
            return failed(.refused, at: now)
        case .portReceived: return portReceived(at: now)
        case .directOpened: return directOpened(at: now)
        case .directFailed(let failure): return directFailed(failure, at: now)
        case .portClosed: return portClosed(at: now)
        case .disconnectionRequested: return disconnectionRequested()
        case .timerFired:
            guard case .waiting(let until) = state, now >= until else { return [] }
            return attempt()
        }
    }

    // MARK: - Bluetooth and the link

    private mutating func available(_ registration: Registration) -> [Effect] {
        self.registration = registration
        guard state == .unavailable else { return [] }
        failures = 0
        refusals = 0
        return attempt()
    }

    private mutating func dismissed() -> [Effect] {
        let isKeptByDaemon =
            switch state {
            case .connecting, .open(.profile, since: _): true
            case .unavailable, .disconnecting, .connectingDirectly, .open(.direct, since: _), .waiting,
                .dormant:
                false
            }
        return leave(for: .unavailable) + (isKeptByDaemon ? [.disconnectProfile] : [])
    }

    /// The first attempt after it counted as switched off begins a new row.
    private mutating func wanted() -> [Effect] {
        switch state {
        case .dormant:
            failures = 0
            refusals = 0
            return attempt()
        case .waiting: return attempt()
        case .unavailable, .connecting, .disconnecting, .connectingDirectly, .open: return []
        }
    }

    // MARK: - Attempts

    private mutating func attempt() -> [Effect] {
        if registration == .refused || prefersDirect {
            state = .connectingDirectly
            return [.connectDirectly]
        }
        state = .connecting
        return [.connectProfile]
    }

    private mutating func failed(_ failure: Failure, at now: MonotonicTime) -> [Effect] {
        switch failure {
        case .unanswered:
            waitLonger(at: now)
            return []
        case .refused:
            refusals += 1
            guard refusals >= Self.refusals else {
                state = .waiting(until: now + Self.refusalDelay)
                return []
            }
            refusals = 0
            state = .connectingDirectly
            return [.connectDirectly]
        }
    }

    private mutating func directFailed(_ failure: Failure, at now: MonotonicTime) -> [Effect] {
        guard state == .connectingDirectly else { return [] }
        if failure == .refused { prefersDirect = false }
        waitLonger(at: now)
        return []
    }

    private mutating func waitLonger(at now: MonotonicTime) {
        failures += 1
        guard isLinkUp || failures < Self.attempts else {
            state = .dormant
            return
        }
        let limit = isLinkUp ? Self.longestDelay.isLinkUp : Self.longestDelay.isLinkDown
        state = .waiting(until: now + min(.seconds(1 << min(failures - 1, 10)), limit))
    }

    // MARK: - The port

    /// A port counts whenever it is passed, also with no call pending. It replaces an earlier one, which is
    /// dead then.
    private mutating func portReceived(at now: MonotonicTime) -> [Effect] {
        let ended = leave(for: .open(.profile, since: now))
        refusals = 0
        prefersDirect = false
        return ended + [.adoptPort]
    }

    private mutating func directOpened(at now: MonotonicTime) -> [Effect] {
        guard state == .connectingDirectly else { return [] }
        prefersDirect = registration == .accepted
        state = .open(.direct, since: now)
        return [.adoptPort]
    }

    private mutating func portClosed(at now: MonotonicTime) -> [Effect] {
        guard case .open(_, let since) = state else { return [] }
        let wasStable = now - since >= Self.stableTime
        if wasStable { failures = 0 }
        let effects = leave(for: .dormant)
        if wasStable {
            state = .waiting(until: now + Self.refusalDelay)
        } else {
            waitLonger(at: now)
        }
        return effects
    }

    /// Another program has disconnected it, and does not want it back at once.
    private mutating func disconnectionRequested() -> [Effect] {
        guard case .open(.profile, since: _) = state else { return [] }
        return leave(for: .dormant)
    }

    /// Ends what the present state has open or under way.
    private mutating func leave(for next: State) -> [Effect] {
        let effects: [Effect] =
            switch state {
            case .open: [.closePort]
            case .connectingDirectly: [.cancelDirect]
            case .unavailable, .connecting, .disconnecting, .waiting, .dormant: []
            }
        if next == .unavailable { isLinkUp = false }
        state = next
        return effects
    }
}
