import CEvdev
import EventLoop
import Glibc

/// `struct input_event` with its time on `CLOCK_MONOTONIC`.
struct RawEvent: Equatable {
    var type: Int32
    var code: Int32
    var value: Int32
    var time: MonotonicInstant
}

extension RawEvent {
    init(_ event: input_event) {
        let nanoseconds = Int64(event.time.tv_sec) * 1_000_000_000 + Int64(event.time.tv_usec) * 1000
        self.init(
            type: Int32(event.type),
            code: Int32(event.code),
            value: event.value,
            time: MonotonicInstant(nanoseconds: nanoseconds)
        )
    }
}

/// Decodes libevdev's results into key events, and determines how to continue reading.
///
/// When the kernel's buffer overflows, its next event is `SYN_DROPPED` and the ones before it are lost.
/// libevdev then discards the rest of the buffer, queries the kernel for the state of all keys and switches,
/// and returns the differences from the state that it knew (libevdev.h, "SYN_DROPPED handling"). A key that
/// was pressed and released meanwhile is not among them, so that the loss is reported by itself, before the
/// differences.
struct KeyEventDecoder: Equatable {
    /// The result of one read.
    enum Reading: Equatable {
        case event(RawEvent)
        /// `SYN_DROPPED`: the differences must be read next.
        case dropped
        /// The differences must be read next, but no event was lost.
        case requeried
        /// `EAGAIN`.
        case nothing
        case failed(errno: Int32)
    }

    /// The next thing to read.
    enum Mode: Equatable {
        case live, differences
    }

    enum Outcome: Equatable {
        case readOn
        /// It is to be reported, and then reading goes on.
        case event(KeyDeviceEvent)
        /// Everything was read.
        case wait
        /// The device was removed, or can no longer be read.
        case vanished
    }

    private(set) var mode = Mode.live
    /// The wanted keys that are down.
    private(set) var held: Set<KeyCode>
    private let wanted: Set<KeyCode>

    /// Events of keys that are not wanted are ignored. `held` are those that were down at the opening.
    init(wanted: Set<KeyCode>, held: Set<KeyCode> = []) {
        self.wanted = wanted
        self.held = held.intersection(wanted)
    }

    /// Returns the next thing to do after the result of a read in ``mode``; `now` is the time for events that
    /// come from a resynchronisation.
    mutating func handle(_ reading: Reading, at now: MonotonicInstant) -> Outcome {
        switch reading {
        case .dropped:
            let wasLive = mode == .live
            mode = .differences
            // A further loss while the differences are read belongs to the same one.
            return wasLive ? .event(.eventsLost) : .readOn
        case .requeried:
            mode = .differences
            return .readOn
        case .nothing:
            if mode == .live { return .wait }
            mode = .live
            return .readOn
        case .failed(let code):
            // After EINTR the source fires again. After any other error a release could be missed.
            return code == EINTR ? .wait : .vanished
        case .event(let event):
            // The kernel reports changes only. Another switch is that of a lid, for example.
            if event.type == EV_SW, JackSwitch(rawValue: event.code) != nil { return .event(.jackChanged) }
            return key(event, at: now).map { .event(.key($0)) } ?? .readOn
        }
    }

    private mutating func key(_ event: RawEvent, at now: MonotonicInstant) -> KeyEvent? {
        guard event.type == EV_KEY, let code = UInt16(exactly: event.code) else { return nil }
        let key = KeyCode(rawValue: code)
        guard wanted.contains(key) else { return nil }
        let isResynchronised = mode == .differences
        let time = isResynchronised ? now : event.time
        switch event.value {
        case 0:
            held.remove(key)
            return KeyEvent(key: key, edge: .released, time: time, isResynchronised: isResynchronised)
        case 1:
            // Not an edge if the key is already down.
            guard held.insert(key).inserted else { return nil }
            return KeyEvent(key: key, edge: .pressed, time: time, isResynchronised: isResynchronised)
        default:
            // 2 is the kernel's autorepeat.
            return nil
        }
    }
}
