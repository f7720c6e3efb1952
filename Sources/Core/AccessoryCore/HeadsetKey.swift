package import PTTMessages

/// The key of a headset: one press begins, the next ends.
///
/// A hook key of a 3.5 mm plug shorts the microphone while it is down, so that holding it cannot be talking, and
/// Bluetooth headsets report no hold. Which press it is follows from the core: after a refusal, a time limit or any
/// other end, the next press begins.
///
/// What must not count as a press:
/// - A key that was found down after lost events. Lost events also end a transmission: the press that should have
///   ended it may be among them.
/// - A touch of less than ``shortestPress`` on a plug (``Contact/plug``). Dirty contacts make them every few
///   seconds: https://michael-prokop.at/blog/?p=7373. After ``phantomLimit`` within ``phantomWindow``, or more
///   toggles than ``toggleLimit`` in the same time from whatever headset, the key is locked until it was silent for
///   ``silence``.
/// - A beginning within ``spacing`` after the last toggle. Ending is never held back.
package struct HeadsetKey: Equatable, Sendable {
    /// Where the key's edges come from.
    package enum Contact: Equatable, Sendable {
        /// A 3.5 mm plug: both edges are those of a real contact.
        case plug
        /// USB or Bluetooth: the headset's own program may send press and release in one go.
        case remote
    }

    /// `KEY_PLAYPAUSE`, `KEY_PLAYCD` and `KEY_PAUSECD` (which AVRCP sends in turn), `KEY_MEDIA` (older plugs). A
    /// headset has one such button, whichever of them it sends.
    package static let codes: [UInt16] = [164, 200, 201, 226]

    package static let shortestPress = Duration.milliseconds(10)
    package static let phantomLimit = 3
    package static let toggleLimit = 10
    package static let phantomWindow = Duration.seconds(10)
    package static let silence = Duration.seconds(5)
    package static let spacing = Duration.milliseconds(250)

    enum Key: Equatable, Sendable {
        case up
        /// Down, but not yet for ``shortestPress``.
        case touched(code: UInt16, since: MonotonicTime)
        case down
    }

    enum Talk: Equatable, Sendable {
        case idle
        /// The core was asked and has not answered.
        case asked
        case talking(TransmissionID)
    }

    enum Presence: Equatable, Sendable {
        case present
        case locked(until: MonotonicTime)
        case removed
    }

    package let origin: Origin
    package let contact: Contact
    var presence = Presence.present
    var key = Key.up
    var talk = Talk.idle
    /// The core waits to hear that the key was let go.
    var owesRelease = false
    var phantoms = RecentTimes()
    var toggles = RecentTimes()
    private var timer: MonotonicTime?

    /// - Parameters:
    ///   - origin: What its presses come from; the identifier is that of the input device.
    ///   - contact: Decides whether very short presses count.
    package init(origin: Origin, contact: Contact) {
        self.origin = origin
        self.contact = contact
    }

    /// Decides what follows from an event.
    ///
    /// - Parameters:
    ///   - event: What has happened.
    ///   - now: When it happened; for a key, the time that the kernel gave it.
    /// - Returns: What to do, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        let before = device
        if event == .timerFired { timer = nil }
        var effects = decide(event, at: now)
        let deadline = deadline
        if deadline != timer {
            timer = deadline
            effects.append(deadline.map { .setTimer($0) } ?? .cancelTimer)
        }
        let after = device
        if (before.link, before.remark) != (after.link, after.remark) {
            effects.append(.publish(AccessoryEvent(.deviceChanged, device: after)))
        }
        return effects
    }

    /// The headset as it is shown.
    package var device: AccessoryDevice {
        let (link, remark): (LinkState, String?) =
            switch presence {
            case .present: (.ready, nil)
            case .removed: (.away, nil)
            case .locked:
                (
                    .unused,
                    "its key repeats by itself, as with a dirty plug: clean it or plug it in again; "
                        + "the key is used again after \(Self.silence.components.seconds) s of silence"
                )
            }
        return AccessoryDevice(
            kind: origin.kind,
            identifier: origin.identifier,
            name: origin.name,
            profile: nil,
            mode: .toggle,
            link: link,
            isPressed: key != .up,
            remark: remark
        )
    }

    private var deadline: MonotonicTime? {
        switch (presence, key) {
        case (.locked(let until), _): until
        case (.present, .touched(code: _, let since)): since + Self.shortestPress
        case (.present, .up), (.present, .down), (.removed, _): nil
        }
    }

    private mutating func decide(_ event: Event, at now: MonotonicTime) -> [Effect] {
        switch event {
        case .keyPressed(let code): return keyPressed(code, at: now)
        case .keyReleased(let code): return keyReleased(code, at: now)
        case .keyResynchronised(let code, let isPressed): return keyResynchronised(code, isPressed)
        case .began(let transmissionID):
            if talk == .asked { talk = .talking(transmissionID) }
            return []
        case .refused(let code): return refused(code)
        case .transmissionEnded(let transmissionID, let cause):
            return transmissionEnded(transmissionID, cause)
        case .coreLost:
            talk = .idle
            owesRelease = false
            return []
        case .deviceRemoved: return deviceRemoved()
        case .timerFired: return timerFired(at: now)
        }
    }
}

/// The times within the last ``HeadsetKey/phantomWindow``.
struct RecentTimes: Equatable, Sendable {
    private var times: [MonotonicTime] = []

    /// - Returns: How many there are now, this one included.
    mutating func add(_ time: MonotonicTime) -> Int {
        times.removeAll { time - $0 > HeadsetKey.phantomWindow }
        times.append(time)
        return times.count
    }

    var last: MonotonicTime? { times.last }

    mutating func forget() {
        times = []
    }
}
