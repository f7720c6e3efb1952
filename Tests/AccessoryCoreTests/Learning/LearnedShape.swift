import PTTMessages

@testable import AccessoryCore

/// A way in which a button reports its presses, and what may arrive beside them once it is in use.
struct LearnedShape {
    typealias Content = LearningFrame.Content
    /// Another key of the same device.
    typealias Key = (press: [Content], release: [Content])

    let button: SimulatedButton
    /// The same button on another day: another charge, another count.
    var later: [SimulatedButton] = []
    var others: [Key] = []
    /// Presses of another key while this one is held.
    var chords: [Key] = []
    /// Of the device itself, pressed or not.
    var noise: [[Content]] = []
    var transport: InputTransport?
    /// True if it is learned, false if refused with a reason; nil if that depends on when what else arrives.
    var isLearned: Bool? = true

    var name: String { button.name }

    var device: DeviceDescription {
        let link: DeviceDescription.Link =
            transport.map { .input($0, ProductID(vendor: 1, product: 2), keys: []) }
            ?? .bluetooth(address: "AA:BB:CC:DD:EE:FF", services: [])
        return DeviceDescription(name: "A", link: link)
    }
}

/// Presses a learned button in every combination of what may happen meanwhile, and compares what comes of it
/// with what the hand does.
struct ShapeReplay {
    private enum Cause {
        case press, release, other
    }

    private let shape: LearnedShape
    private let definition: AccessoryDefinition
    private var run: ExampleRun
    private var now: MonotonicTime
    private var random = SeededGenerator(1)
    private var isHeld = false
    private(set) var mistakes: [String] = []
    /// How many presses began or ended something.
    private(set) var felt = 0

    private var keys: [LearnedShape.Key] { shape.chords + shape.others }

    private var toggles: Bool { definition.mode == .toggle }

    init(_ shape: LearnedShape, _ definition: AccessoryDefinition) {
        self.shape = shape
        self.definition = definition
        now = MonotonicTime(nanoseconds: 1_000_000_000_000)
        run = ExampleRun(definition, from: now)
    }

    /// Presses by each state of the button, releases by each, with each disturbance.
    mutating func pressInEveryWay() {
        var states = [shape.button] + shape.later
        for press in states.indices {
            for release in states.indices {
                for disturbance in -1..<(keys.count * 2 + shape.noise.count) {
                    let isChord = disturbance >= 0 && disturbance / 2 < shape.chords.count
                    // Its release would say that this one is held.
                    if isChord, !disturbance.isMultiple(of: 2) { continue }
                    if !isChord {
                        disturb(disturbance, isStart: true)
                        disturb(disturbance, isStart: false)
                    }
                    for length in [Duration.milliseconds(120), .milliseconds(3200)] {
                        hold(&states, press, release, length, disturbance)
                        wait(.seconds(3))
                    }
                }
            }
        }
    }

    /// Another key, down and up or down only, or noise.
    private mutating func disturb(_ number: Int, isStart: Bool) {
        guard number >= 0 else { return }
        if number < keys.count * 2 {
            let other = keys[number / 2]
            let isNested = number.isMultiple(of: 2)
            if isStart { send(other.press, .other) }
            if isStart == isNested { send(other.release, .other) }
        } else if isStart {
            send(shape.noise[number - keys.count * 2], .other)
        }
        wait(.milliseconds(400))
    }

    private mutating func hold(
        _ states: inout [SimulatedButton],
        _ press: Int,
        _ release: Int,
        _ length: Duration,
        _ disturbance: Int
    ) {
        let wasTransmitting = run.transmission != nil
        isHeld = true
        let began = now
        let emissions = states[press].press(&random)
        let first = emissions.map(\.delay).min() ?? .zero
        send(emissions.sorted { $0.delay < $1.delay }, .press)
        if toggles, wasTransmitting, run.transmission != nil {
            mistakes.append("a press does not stop it, at \(now)")
        }
        if (run.transmission != nil) != wasTransmitting { felt += 1 }
        if length > .seconds(1) { disturb(disturbance, isStart: true) }
        for later in states[press].held() where later.delay + first < length {
            advance(to: began + first + later.delay)
            send([later.content], .press)
        }
        advance(to: began + length)
        send(states[release].release(after: length, &random).sorted { $0.delay < $1.delay }, .release)
        isHeld = false
        wait(.milliseconds(600))
        if !toggles, run.transmission != nil { mistakes.append("it outlives its release, at \(now)") }
        if length > .seconds(1) { disturb(disturbance, isStart: false) }
        if !toggles, run.transmission != nil {
            mistakes.append("it goes on after \(disturbance), at \(now)")
        }
    }

    private mutating func send(_ emissions: [SimulatedButton.Emission], _ cause: Cause) {
        let start = now
        for emission in emissions {
            advance(to: start + emission.delay)
            send([emission.content], cause)
        }
    }

    private mutating func send(_ contents: [LearningFrame.Content], _ cause: Cause) {
        for content in contents {
            now = now + .milliseconds(3)
            let frame = LearningFrame(time: now, content: content)
            guard let action = definition.input.action(of: frame) else { continue }
            judge(run.perform(action, at: now), cause)
        }
    }

    private mutating func wait(_ duration: Duration) { advance(to: now + duration) }

    private mutating func advance(to time: MonotonicTime) {
        guard time > now else { return }
        judge(run.wait(time - now), .other)
        now = time
    }

    private mutating func judge(_ outcomes: [ExampleRun.Outcome], _ cause: Cause) {
        for outcome in outcomes {
            switch (outcome, cause) {
            case (.begin(.talk), .press), (.end(.talk), _): break
            case (.begin(.talk), .other) where isHeld && !toggles: break
            default: mistakes.append("\(outcome.fileText) without a press, at \(now)")
            }
        }
    }
}
