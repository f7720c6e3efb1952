import AccessoryCore
import PTTMessages
import TestSupport
import Testing

/// The presses that run commands, and a service manager that does what the contract allows.
@Suite struct ActionPressesTests {
    private static let talk = ActionPresses.Button(device: "Pedal", role: .talk)
    private static let action = Action(
        .accessory("foot-pedal"),
        .talk,
        .run(.init(press: ["start"], release: ["stop"]))
    )
    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    private let first = PressID(rawValue: 1)
    private let second = PressID(rawValue: 2)

    @Test func `a release while the command of the press runs stops the unit after it, or after the grace`() {
        for hangs in [false, true] {
            var presses = ActionPresses()
            _ = presses.handle(.pressed(first, Self.talk, Self.action), at: Self.time(0))
            let waits = presses.handle(.released(first, .released), at: Self.time(10))
            #expect(waits == [.setTimer(Self.time(2010))])
            let stops = presses.handle(hangs ? .timerFired : .unitStarted(first), at: Self.time(2010))
            #expect(stops.first == .stop(first))
            let ends = presses.handle(.unitStopped(first, failure: nil), at: Self.time(2020))
            #expect(ends == [.report(first, .ended(.released, failure: nil)), .cancelTimer])
        }
    }

    @Test func `a press waits for the release before it, and one that is released meanwhile never begins`() {
        for isReleased in [false, true] {
            var presses = ActionPresses()
            _ = presses.handle(.pressed(first, Self.talk, Self.action), at: Self.time(0))
            _ = presses.handle(.unitStarted(first), at: Self.time(1))
            _ = presses.handle(.released(first, .released), at: Self.time(2))
            #expect(presses.handle(.pressed(second, Self.talk, Self.action), at: Self.time(3)).isEmpty)
            if isReleased {
                let failure = "the action before had not ended yet"
                #expect(
                    presses.handle(.released(second, .released), at: Self.time(4))
                        == [.report(second, .ended(.released, failure: failure))]
                )
            }
            let effects = presses.handle(.unitStopped(first, failure: nil), at: Self.time(5))
            #expect(effects.contains(.start(second, Self.talk, Self.action)) == !isReleased)
        }
    }

    @Test func `a service manager that does not answer is given up`() {
        var presses = ActionPresses()
        _ = presses.handle(.pressed(first, Self.talk, Self.action), at: Self.time(0))
        _ = presses.handle(.unitStarted(first), at: Self.time(1))
        _ = presses.handle(.released(first, .released), at: Self.time(2))
        let effects = presses.handle(.timerFired, at: Self.time(30_002))
        let failure = "it did not end in time"
        #expect(effects.first == .report(first, .ended(.released, failure: failure)))
        #expect(presses.isEmpty)
    }

    @Test func `a press does not wait for a command that has the recording of the press before`() {
        var presses = ActionPresses()
        _ = presses.handle(.pressed(first, Self.talk, Self.action), at: Self.time(0))
        _ = presses.handle(.unitStarted(first), at: Self.time(1))
        // Not before the release.
        #expect(presses.handle(.handedOver(first), at: Self.time(2)).isEmpty)
        _ = presses.handle(.released(first, .released), at: Self.time(3))
        #expect(presses.handle(.pressed(second, Self.talk, Self.action), at: Self.time(4)).isEmpty)
        let effects = presses.handle(.handedOver(first), at: Self.time(5))
        #expect(effects.contains(.start(second, Self.talk, Self.action)))
        _ = presses.handle(.unitStarted(second), at: Self.time(6))
        let end = presses.handle(.unitStopped(first, failure: "it failed"), at: Self.time(7))
        #expect(end.first == .report(first, .ended(.released, failure: "it failed")))
    }

    @Test func `a command that has a recording does not keep the program from ending, and has a limit`() {
        var presses = ActionPresses()
        _ = presses.handle(.pressed(first, Self.talk, Self.action), at: Self.time(0))
        _ = presses.handle(.unitStarted(first), at: Self.time(1))
        _ = presses.handle(.released(first, .released), at: Self.time(2))
        #expect(!presses.isEmpty)
        _ = presses.handle(.handedOver(first), at: Self.time(3))
        #expect(presses.isEmpty)
        let effects = presses.handle(.timerFired, at: Self.time(330_003))
        #expect(effects.first == .report(first, .ended(.released, failure: "it did not end in time")))
    }

    /// Who presses and releases does so at any time, and the service manager answers at any time: each unit
    /// is stopped once after a release or at its limit, no button has two units, and each press has one
    /// outcome.
    @Test func `random lives: what was begun is stopped once, and a button runs one action`() {
        var random = SplitMix(state: 2026)
        for _ in 0..<2000 {
            var life = Life()
            for _ in 0..<40 { life.step(&random) }
            life.end()
            #expect(life.faults == [], "\(life.trace)")
        }
    }
}

/// Whoever presses, and the service manager, with what they know.
private struct Life {
    private enum Unit { case starting, started, stopping, handedOver }

    private(set) var faults: [String] = []
    private(set) var trace: [String] = []
    private var presses = ActionPresses()
    private var now = MonotonicTime(nanoseconds: 0)
    private var timer: MonotonicTime?
    private var last = 0
    private var buttons: [PressID: ActionPresses.Button] = [:]
    private var units: [PressID: Unit] = [:]
    /// Pressed and not released, as far as whoever presses knows.
    private var held: Set<PressID> = []
    private var stopped: Set<PressID> = []
    private var outcomes: [PressID: Int] = [:]

    mutating func step(_ random: inout SplitMix) {
        now = now + .milliseconds(Int64.random(in: 0...900, using: &random))
        if let timer, timer <= now { return handle(.timerFired) }
        let units = units.sorted { $0.key < $1.key }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: press(&random)
        case 3..<5: if let id = held.min() { release(id, .released) }
        case 5: if let unit = units.first(where: { $0.value == .stopping }) { handOver(unit.key) }
        case 6..<9: if let unit = units.randomElement(using: &random) { answer(unit.key, unit.value) }
        default:
            held = []
            handle(.interrupted(.suspended))
        }
    }

    private mutating func press(_ random: inout SplitMix) {
        last += 1
        let id = PressID(rawValue: last)
        let button = ActionPresses.Button(
            device: "Pedal",
            role: [.talk, .multifunction].randomElement(using: &random) ?? .talk
        )
        buttons[id] = button
        held.insert(id)
        let work = Action.Work.run(.init(press: ["start"], release: ["stop"]))
        handle(.pressed(id, button, Action(.accessory("x"), button.role, work, limit: .seconds(5))))
    }

    private mutating func release(_ id: PressID, _ cause: EndCause) {
        held.remove(id)
        handle(.released(id, cause))
    }

    private mutating func handOver(_ id: PressID) {
        units[id] = .handedOver
        handle(.handedOver(id))
    }

    private mutating func answer(_ id: PressID, _ unit: Unit) {
        switch unit {
        case .starting:
            units[id] = .started
            handle(.unitStarted(id))
        case .started: break
        case .stopping, .handedOver:
            units[id] = nil
            handle(.unitStopped(id, failure: nil))
        }
    }

    private mutating func handle(_ event: ActionPresses.Event) {
        trace.append("\(now) \(event)")
        if case .timerFired = event { timer = nil }
        for effect in presses.handle(event, at: now) {
            trace.append("  \(effect)")
            switch effect {
            case .start(let id, let button, _):
                let others = units.filter { $0.value != .handedOver && buttons[$0.key] == button }
                if !others.isEmpty { faults.append("two units") }
                units[id] = .starting
            case .stop(let id):
                if !stopped.insert(id).inserted { faults.append("stopped twice") }
                if units[id] == nil { faults.append("stopped without a unit") }
                units[id] = .stopping
            case .report(let id, let report):
                switch report {
                case .began: if units[id] == nil { faults.append("began without a unit") }
                case .refused, .ended:
                    held.remove(id)
                    outcomes[id, default: 0] += 1
                }
            case .setTimer(let time): timer = time
            case .cancelTimer: timer = nil
            }
        }
    }

    /// Everything is released, and the service manager answers everything.
    mutating func end() {
        for id in held.sorted() { release(id, .released) }
        while let unit = units.min(by: { $0.key < $1.key }) {
            if case .started = unit.value { return faults.append("a unit is not stopped") }
            answer(unit.key, unit.value)
        }
        if !presses.isEmpty { faults.append("a press is left") }
        if timer != nil { faults.append("a timer is left") }
        for id in buttons.keys where outcomes[id] != 1 {
            faults.append("\(id): \(outcomes[id] ?? 0) outcomes")
        }
    }
}
