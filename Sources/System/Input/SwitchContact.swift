import EventLoop

/// The contact of one switch, from readings of its line.
///
/// A contact that closes or opens bounces. A press counts at once, and a release only when the contact has
/// been open for ``settling``, so that no bounce ends a press or begins a second one.
///
/// A line on before ``opening`` has passed is no press until it has been off: the switch was held, or
/// the port has just raised the line that feeds it, of which adapters report the effect milliseconds later.
struct SwitchContact: Equatable {
    /// Foot switches bounce for less.
    static let settling = Duration.milliseconds(30)
    static let opening = Duration.milliseconds(500)
    /// A driver may lose a wake-up (cdc-acm between its check and its sleep): the release is not to depend on
    /// it.
    static let check = Duration.seconds(1)

    /// True if a press was reported, and no release yet.
    private(set) var isPressed = false
    private var isOn = true
    private let opened: MonotonicInstant
    private var settled: MonotonicInstant?

    /// - Parameter now: The time at which the port was opened.
    init(at now: MonotonicInstant) {
        opened = now + Self.opening
    }

    /// Returns the change of the switch by the state of its line, which was read now.
    mutating func read(_ isOn: Bool, at now: MonotonicInstant) -> KeyEvent.Edge? {
        if isOn {
            settled = nil
            guard !self.isOn else { return nil }
            self.isOn = true
            isPressed = true
            return .pressed
        }
        guard self.isOn else { return nil }
        let settled = settled ?? max(now + Self.settling, opened)
        self.settled = settled
        guard now >= settled else { return nil }
        self.settled = nil
        self.isOn = false
        guard isPressed else { return nil }
        isPressed = false
        return .released
    }

    /// The time at which the line has to be read although nothing has woken anybody; nil while nothing
    /// happens.
    func nextReading(after now: MonotonicInstant) -> MonotonicInstant? {
        if now < opened { return opened }
        return settled ?? (isPressed ? now + Self.check : nil)
    }
}
