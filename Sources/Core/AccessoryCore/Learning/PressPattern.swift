package import PTTMessages

/// An event of the button in a reading of the frames: a press or a release, or a press alone.
package enum PressEvent: Equatable, Sendable {
    case down
    case up
    case tap
}

package struct TimedPress: Equatable, Sendable {
    package let event: PressEvent
    package let time: MonotonicTime
}

/// The way in which a button reports that it is held.
enum PressPattern: Hashable, CaseIterable {
    /// A press and, after any time, its release.
    case held
    /// A press, and a release after two seconds whatever the person does: BlueZ's for keys of a headset.
    case releasedByItself
    /// A press alone.
    case tapped

    /// The time for which BlueZ waits for another press message of the same key, in milliseconds
    /// (`AVC_PRESS_TIMEOUT`).
    private static let automaticRelease = Duration.milliseconds(1850)...Duration.milliseconds(2150)
    /// A person cannot let go that regularly.
    private static let automaticSpread = Duration.milliseconds(60)

    /// Compares what was read with what was asked for, and throws the first difference. `presses` are changes
    /// only: no two downs or ups follow each other.
    func check(_ presses: [TimedPress], against steps: [LearningStep]) throws(LearningFailure) {
        var remaining = presses[...]
        var automatic: [Duration] = []
        for step in steps {
            guard let first = remaining.first, first.time <= step.release.upperBound else {
                throw step.pressMissing
            }
            guard first.time >= step.press.lowerBound else { throw .unaskedPress }
            switch (step.task, self) {
            case (.hold, .tapped):
                guard first.event == .tap, step.press.contains(first.time) else { throw step.pressMissing }
                remaining.removeFirst()
            case (.hold(let length), .held), (.hold(let length), .releasedByItself):
                guard first.event == .down, step.press.contains(first.time) else { throw step.pressMissing }
                remaining.removeFirst()
                guard let second = remaining.popFirst(), second.event == .up else {
                    throw .releaseNotSeen(step: step.number)
                }
                let held = second.time - first.time
                let isAutomatic = self == .releasedByItself && Self.automaticRelease.contains(held)
                let mayBeTheirs = self == .held || length < Self.automaticRelease.lowerBound
                if isAutomatic, !mayBeTheirs { automatic.append(held) }
                guard isAutomatic || mayBeTheirs && step.release.contains(second.time) else {
                    throw .releaseNotSeen(step: step.number)
                }
            case (.pressTwice, _):
                let expected: [PressEvent] =
                    switch self {
                    case .held, .releasedByItself: [.down, .up, .down, .up]
                    case .tapped: [.tap, .tap]
                    }
                let found = remaining.prefix(expected.count)
                guard found.map(\.event) == expected, found.allSatisfy({ step.release.contains($0.time) })
                else { throw .twoPressesNotSeen(step: step.number) }
                remaining.removeFirst(expected.count)
            }
        }
        guard remaining.isEmpty else { throw .unaskedPress }
        guard let least = automatic.min(), let most = automatic.max() else { return }
        if most - least > Self.automaticSpread { throw .contradiction }
    }
}

extension LearningStep {
    fileprivate var pressMissing: LearningFailure {
        switch task {
        case .hold: .pressNotSeen(step: number)
        case .pressTwice: .twoPressesNotSeen(step: number)
        }
    }
}
