import PTTMessages

/// The requests to the person, one after the other. All lengths differ, so that nothing periodic fits by
/// chance.
package enum LearningPlan {
    /// A request, and the pause after it.
    struct Entry {
        let task: LearningStep.Task
        let pause: Duration
    }

    /// In which the button is left alone: shows the value on subscribing, the idle value and heartbeats.
    static let quiet = Duration.milliseconds(4000)
    /// Two short holds, two long ones and a double press. Long is longer than the 2 s after which BlueZ
    /// releases a key of a headset by itself (`AVC_PRESS_TIMEOUT`), and short is shorter.
    static let recorded = [
        Entry(task: .hold(.milliseconds(1550)), pause: .milliseconds(2450)),
        Entry(task: .hold(.milliseconds(5100)), pause: .milliseconds(2900)),
        Entry(task: .pressTwice, pause: .milliseconds(2300)),
        Entry(task: .hold(.milliseconds(1700)), pause: .milliseconds(2650)),
        Entry(task: .hold(.milliseconds(4300)), pause: .milliseconds(2500)),
    ]
    /// The presses which what was found must predict.
    static let verification = [
        Entry(task: .hold(.milliseconds(3800)), pause: .milliseconds(2550)),
        Entry(task: .hold(.milliseconds(1600)), pause: .milliseconds(2400)),
    ]
    static let all = recorded + verification
    /// The time for two presses.
    static let twoPresses = Duration.milliseconds(3000)

    /// The number of requests.
    package static let stepCount = all.count

    /// The earliest reaction of a person, who may be early because the requests have a rhythm.
    private static let earliest = Duration.milliseconds(-250)
    /// The longest time that a person takes, with the delay of the radio. Shorter than every hold and every
    /// pause, less ``earliest``.
    private static let latest = Duration.milliseconds(1200)

    static func reaction(to request: MonotonicTime) -> ClosedRange<MonotonicTime> {
        request + earliest...request + latest
    }

    /// More than a button that repeats its level twenty times a second sends; a flood is not analysed.
    package static let mostFrames = 4000
    package static let mostBytes = 64 * 1024
    /// The longest pattern or token of an accessory file, in bytes; no button sends more at once.
    static let longestFrame = AccessoryFile.Limit.patternBytes
}
