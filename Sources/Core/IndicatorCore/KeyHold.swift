import PTTMessages

/// One hold of the talk key, and what its repeated presses say about its end.
///
/// GNOME and Plasma 6.3 repeat the press of a held key some 33 times a second, as they repeat a letter; the
/// end of the repeats is the end of the hold, also where the release is not reported. They end as well when
/// another key is pressed, which cannot be distinguished: the transmission ends then.
///
/// Before the first repeat there is the delay of the keyboard, and some desktops never repeat: Plasma 6.7, or
/// any one where the person has switched it off. What earlier holds have shown decides how long a hold
/// without repeats is believed.
struct KeyHold: Hashable, Sendable {
    /// The longest time between two repeats. Desktops offer intervals up to a tenth of this; a busy one may
    /// pause.
    static let pause = Duration.seconds(1)
    /// The longest time before the first one: GNOME's settings end at 2 s.
    static let longestDelay = Duration.milliseconds(2500)
    /// The time for which a hold without a repeat is believed while nothing is known of the desktop.
    static let unproven = Duration.seconds(15)

    /// The knowledge of whether this desktop repeats the press of a held key.
    enum Repetition: Hashable, Sendable {
        case unknown
        /// It did, for the first time so long after the press.
        case seen(after: Duration)
        /// A hold for longer than ``KeyHold/longestDelay`` had none, and its release was reported. The time
        /// limit of the core is what ends a hold whose release is missed nevertheless.
        case none

        /// - Parameter delay: Of the first repeat of a hold; nil for a further one.
        mutating func saw(_ delay: Duration?) {
            guard let delay else { return }
            // The longest: a person may have changed it.
            if case .seen(let known) = self {
                self = .seen(after: max(known, delay))
            } else {
                self = .seen(after: delay)
            }
        }

        mutating func sawRelease(of hold: KeyHold, at now: MonotonicTime) {
            guard self == .unknown, !hold.isRepeated, now - hold.since >= KeyHold.longestDelay else { return }
            self = .none
        }
    }

    private let since: MonotonicTime
    /// Of the press, or of its last repeat.
    private var last: MonotonicTime
    private(set) var isRepeated = false

    init(at now: MonotonicTime) {
        (since, last) = (now, now)
    }

    /// Returns true if a press now would be a repeat of this one, not another one.
    func isRepeat(at now: MonotonicTime) -> Bool {
        now - last < (isRepeated ? Self.pause : Self.longestDelay)
    }

    /// - Returns: The delay, if it is the first repeat.
    mutating func `repeat`(at now: MonotonicTime) -> Duration? {
        defer { (last, isRepeated) = (now, true) }
        return isRepeated ? nil : now - since
    }

    /// Returns the time at which the key counts as released unless there is a repeat before; nil: only its
    /// release says so.
    func presumedEnd(_ repetition: Repetition) -> MonotonicTime? {
        if isRepeated { return last + Self.pause }
        switch repetition {
        case .unknown: return since + Self.unproven
        case .seen(let delay): return since + delay + Self.pause
        case .none: return nil
        }
    }
}
