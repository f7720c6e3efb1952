package import PTTMessages

/// The key of a headset: one press begins a transmission, the next ends it.
///
/// The hook key of a 3.5 mm plug shorts the microphone while it is down, so that it cannot be held to talk, and
/// Bluetooth headsets do not report a hold. Whether a press begins or ends depends on the core: after a refusal, a time
/// limit or any other end, the next press begins.
///
/// Not counted as a press:
/// - A key that is found down after lost events. Lost events also end a transmission, because the press that should have
///   ended it may be among them.
/// - A contact of less than ``shortestPress`` on a plug (``Contact/plug``). Dirty contacts cause them every few
///   seconds: https://michael-prokop.at/blog/?p=7373. After ``phantomLimit`` of them within ``phantomWindow``, or more
///   than ``toggleLimit`` toggles in the same time on any headset, the key is locked until there was no event for
///   ``silence``.
/// - A press that would begin a transmission within ``spacing`` after the last toggle. One that ends it always counts.
package struct HeadsetKey: AccessoryMachine, Equatable, Sendable {
    /// The origin of the key's edges.
    package enum Contact: Equatable, Sendable {
        /// A 3.5 mm plug: both edges are those of an electrical contact.
        case plug
        /// USB or Bluetooth: the headset's firmware may send press and release together.
        case remote
    }

    /// `KEY_PLAYPAUSE`, `KEY_PLAYCD` and `KEY_PAUSECD` (which AVRCP sends alternately), `KEY_MEDIA` (older plugs). A
    /// headset has one such button, whichever code it sends.
    package static let codes: [UInt16] = [164, 200, 201, 226]

    package static let shortestPress = Duration.milliseconds(10)
    static let phantomLimit = 3
    static let toggleLimit = 10
    static let phantomWindow = Duration.seconds(10)
    package static let silence = Duration.seconds(5)
    static let spacing = Duration.milliseconds(250)

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
    /// Whether the core waits for the release of the key.
    var owesRelease = false
    var phantoms = RecentTimes()
    var toggles = RecentTimes()
    var timer: MonotonicTime?

    /// - Parameters:
    ///   - origin: The origin of its presses; the identifier is that of the input device.
    ///   - contact: Determines whether very short presses count.
    package init(origin: Origin, contact: Contact) {
        self.origin = origin
        self.contact = contact
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - now: Its time; for a key, the kernel's timestamp.
    /// - Returns: What to do, in this order.
    package mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
        step(event, at: now)
    }

    /// The headset as it is listed.
    package var device: AccessoryDevice {
        let (link, remark): (LinkState, String?) =
            switch presence {
            case .present: (.ready, nil)
            case .removed: (.away, nil)
            case .locked:
                (
                    .unused,
                    "its key triggers by itself, as with a dirty plug: clean it or plug it in again; "
                        + "the key works again after \(Self.silence.components.seconds) s without a press"
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

    var deadline: MonotonicTime? {
        switch (presence, key) {
        case (.locked(let until), _): until
        case (.present, .touched(code: _, let since)): since + Self.shortestPress
        case (.present, .up), (.present, .down), (.removed, _): nil
        }
    }

    mutating func transition(_ event: Event, at now: MonotonicTime) -> [Effect] {
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

    /// - Returns: The number of times within the window, including this one.
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
