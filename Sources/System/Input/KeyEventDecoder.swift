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

/// Turns what libevdev reads into key events, and says how to read on.
///
/// When the kernel's buffer overflows, its next event is `SYN_DROPPED` and the ones before are lost. libevdev
/// then throws away the rest of the buffer, asks the kernel for the state of all keys, and hands out the
/// difference to the state it knew (libevdev.h, "SYN_DROPPED handling").
struct KeyEventDecoder: Equatable {
    /// What one reading gave.
    enum Reading: Equatable {
        case event(RawEvent)
        /// `SYN_DROPPED`: the differences are to be read now.
        case dropped
        /// `EAGAIN`.
        case nothing
        case failed(errno: Int32)
    }

    /// What is to be read next.
    enum Mode: Equatable {
        case live, differences
    }

    enum Outcome: Equatable {
        case readOn
        case key(KeyEvent)
        /// Everything was read.
        case wait
        /// The device is gone, or can no longer be read.
        case vanished
    }

    private(set) var mode = Mode.live
    /// The wanted keys that are down.
    private(set) var held: Set<KeyCode>
    private let wanted: Set<KeyCode>

    /// - Parameters:
    ///   - wanted: Events of other keys are left out.
    ///   - held: The keys that were down when the device was opened.
    init(wanted: Set<KeyCode>, held: Set<KeyCode> = []) {
        self.wanted = wanted
        self.held = held.intersection(wanted)
    }

    /// - Parameters:
    ///   - reading: The next one, made in ``mode``.
    ///   - now: The time of events that were found out and not seen.
    /// - Returns: What to do now.
    mutating func handle(_ reading: Reading, at now: MonotonicInstant) -> Outcome {
        switch reading {
        case .dropped:
            mode = .differences
            return .readOn
        case .nothing:
            if mode == .live { return .wait }
            mode = .live
            return .readOn
        case .failed(let code):
            // The next readiness comes by itself. Any other failure means that a release would be missed.
            return code == EINTR ? .wait : .vanished
        case .event(let event):
            return key(event, at: now).map { .key($0) } ?? .readOn
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
            // A key that is down already was not pressed: no edge.
            guard held.insert(key).inserted else { return nil }
            return KeyEvent(key: key, edge: .pressed, time: time, isResynchronised: isResynchronised)
        default:
            // 2 is the kernel's automatic repeat.
            return nil
        }
    }
}
