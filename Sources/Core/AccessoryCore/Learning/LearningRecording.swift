package import PTTMessages

/// Something that an unknown accessory reported while it was being learned.
package struct LearningFrame: Equatable, Sendable {
    package enum Content: Hashable, Sendable {
        case notified([UInt8], GattAttribute)
        /// A part of a serial stream. The stream may be cut anywhere.
        case received([UInt8], serviceClass: GattUUID)
        case key(UInt16, isPressed: Bool)
    }

    package let time: MonotonicTime
    package let content: Content

    var byteCount: Int {
        switch content {
        case .notified(let value, _): value.count
        case .received(let bytes, _): bytes.count
        case .key: 0
        }
    }
}

/// The task that the person was asked to do with the button, and when.
package struct LearningStep: Equatable, Sendable {
    package enum Task: Hashable, Sendable {
        /// Press, and let go after this time.
        case hold(Duration)
        /// Press twice, quickly.
        case pressTwice
    }

    /// Counted from 1.
    package let number: Int
    package let task: Task
    /// The time at which the request to press was shown.
    package let pressAsked: MonotonicTime
    /// The time at which the request to let go was shown; for two presses, the end of the time for them.
    package let releaseAsked: MonotonicTime

    /// The time in which the press must be reported: a person may be this early, and needs this long with the
    /// delay of the radio.
    var press: ClosedRange<MonotonicTime> { LearningPlan.reaction(to: pressAsked) }

    var release: ClosedRange<MonotonicTime> {
        switch task {
        case .hold: LearningPlan.reaction(to: releaseAsked)
        case .pressTwice: press.lowerBound...releaseAsked
        }
    }
}

/// All that an unknown accessory reported, and what the person was asked to do meanwhile.
package struct LearningRecording: Equatable, Sendable {
    /// The time at which the accessory had been connected, and the person was asked to leave it alone.
    package internal(set) var began = MonotonicTime(nanoseconds: 0)
    /// In the order of their times.
    package internal(set) var frames: [LearningFrame] = []
    package internal(set) var steps: [LearningStep] = []
    package internal(set) var ended = MonotonicTime(nanoseconds: 0)
}
