import EventLoop
import Testing

@testable import ServiceClient

/// The daemon's socket, the delay and the watch as a shell would have them.
private struct World {
    var reconnection = Reconnection()
    var isListening = false
    var canWatch = true
    private(set) var isConnected = false
    private(set) var attempts = 0
    private(set) var delays: [Duration] = []
    private var isWatched = false
    private var isDelayArmed = false
    /// Until the watch has reported it.
    private var hasAppeared = false

    /// Handles the event and the events that its effects cause, except the end of a delay.
    ///
    /// - Parameters:
    ///   - event: The first event.
    ///   - step: Called before and after each effect.
    mutating func handle(_ event: Reconnection.Event, step: (inout World) -> Void = { _ in }) {
        var events = [event]
        while !events.isEmpty {
            for effect in reconnection.handle(events.removeFirst()) {
                step(&self)
                switch effect {
                case .connect:
                    isDelayArmed = false
                    attempts += 1
                    isConnected = isListening
                    step(&self)
                    events.append(isConnected ? .answered : .attemptFailed)
                case .watch:
                    if canWatch { isWatched = true } else { events.append(.watchFailed) }
                case .retry(let delay):
                    delays.append(delay)
                    isDelayArmed = true
                case .rest:
                    (isWatched, isDelayArmed) = (false, false)
                }
            }
            step(&self)
            if isWatched, hasAppeared {
                hasAppeared = false
                events.append(.socketAppeared)
            }
        }
    }

    mutating func appear() {
        isListening = true
        hasAppeared = isWatched
    }

    /// Lets the present delay pass.
    ///
    /// - Returns: False if there is none.
    mutating func wait(step: (inout World) -> Void = { _ in }) -> Bool {
        guard isDelayArmed else { return false }
        isDelayArmed = false
        handle(.delayElapsed, step: step)
        return true
    }

    mutating func expectDelay(sourceLocation: SourceLocation = #_sourceLocation) {
        let hasWaited = wait()
        #expect(hasWaited, "no delay is armed", sourceLocation: sourceLocation)
    }
}

extension Reconnection {
    fileprivate mutating func expect(
        _ effects: [Effect],
        after event: Event,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let actual = handle(event)
        #expect(actual == effects, "\(event)", sourceLocation: sourceLocation)
    }
}

@Suite struct ReconnectionTests {
    @Test func `an absent daemon is tried eight times with growing delays, then costs no wake-up`() {
        var world = World()
        world.handle(.started)
        while world.attempts < 100, world.wait() {}
        #expect(world.attempts == 8)
        #expect(world.delays == [100, 200, 400, 800, 1600, 3200, 5000].map { .milliseconds($0) })
    }

    @Test(arguments: [true, false])
    func `a socket that appears at any moment is connected to`(canWatch: Bool) {
        for moment in 1... {
            var world = World()
            world.canWatch = canWatch
            var steps = 0
            let step: (inout World) -> Void = { world in
                steps += 1
                if steps == moment { world.appear() }
            }
            world.handle(.started, step: step)
            while !world.isConnected, world.attempts < 12, world.wait(step: step) {}
            // After the last step only the watch can report it.
            let isDormant = steps < moment
            if isDormant {
                world.appear()
                world.handle(.socketAppeared)
            }
            #expect(world.isConnected, "appeared at step \(moment)")
            if isDormant || world.attempts > 10 { break }
        }
    }

    @Test func `the daemon may listen some seconds later than its socket appears`() {
        var world = World()
        world.handle(.started)
        while world.attempts < 100, world.wait() {}
        world.handle(.socketAppeared)
        for _ in 1...6 { world.expectDelay() }
        world.isListening = true
        world.expectDelay()
        #expect(world.isConnected)
    }

    @Test func `a lost connection is watched for first, and tried again after the shortest delay`() {
        var reconnection = Reconnection()
        reconnection.expect([.connect], after: .started)
        reconnection.expect([.rest], after: .answered)
        reconnection.expect([.watch, .retry(after: .milliseconds(100))], after: .lost)
        reconnection.expect([.connect], after: .delayElapsed)
        reconnection.expect([.rest], after: .answered)
    }

    /// Where systemd listens for a daemon that fails at its start.
    @Test func `a daemon that closes each connection is tried at growing intervals, up to five seconds`() {
        var reconnection = Reconnection()
        reconnection.expect([.connect], after: .started)
        reconnection.expect([.watch, .retry(after: .milliseconds(100))], after: .lost)
        for delay in [200, 400, 800, 1600, 3200, 5000, 5000, 5000] {
            reconnection.expect([.connect], after: .delayElapsed)
            reconnection.expect([.retry(after: .milliseconds(delay))], after: .lost)
        }
        reconnection.expect([.connect], after: .delayElapsed)
        reconnection.expect([.rest], after: .answered)
        reconnection.expect([.watch, .retry(after: .milliseconds(100))], after: .lost)
    }

    @Test(arguments: [Reconnection.Event.socketAppeared, .requestMade])
    func `a new socket or a request ends the delay, and the next is the shortest`(event: Reconnection.Event) {
        var world = World()
        world.handle(.started)
        for _ in 1...4 { world.expectDelay() }
        world.reconnection.expect([.connect], after: event)
        world.reconnection.expect([.retry(after: .milliseconds(100))], after: .attemptFailed)
    }

    /// As when the daemon starts anew: the end of its last connection may be reported after its new socket.
    @Test(arguments: [Reconnection.Event.attemptFailed, .lost])
    func `a socket that appears during an attempt is tried after the shortest delay`(
        end: Reconnection.Event
    ) {
        var world = World()
        world.handle(.started)
        for _ in 1...4 { world.expectDelay() }
        world.reconnection.expect([.connect], after: .delayElapsed)
        world.reconnection.expect([], after: .socketAppeared)
        world.reconnection.expect([.retry(after: .milliseconds(100))], after: end)
    }

    /// Every event in every state that twelve failures can reach.
    @Test func `every effect fits what is armed, watched and connected`() {
        var open = [Shell()]
        var seen: Set = ["\(Shell())"]
        while let shell = open.popLast() {
            for event in Reconnection.Event.allCases where shell.canHappen(event) {
                var next = shell
                next.handle(event)
                guard next.failures <= 12, seen.insert("\(next)").inserted else { continue }
                open.append(next)
            }
        }
        #expect(seen.count > 50)
    }
}

/// The resources of a shell after each event.
private struct Shell {
    var reconnection = Reconnection()
    var isWanted = false
    var isConnected = false
    var isDelayArmed = false
    var isWatched = false
    var isAnswered = false
    var failures = 0
    /// The effects of the last event.
    var last: [Reconnection.Effect] = []

    func canHappen(_ event: Reconnection.Event) -> Bool {
        switch event {
        case .delayElapsed: isDelayArmed
        case .socketAppeared: isWatched
        case .watchFailed: last.contains(.watch)
        case .attemptFailed: last.last == .connect
        case .answered: isConnected && !isAnswered
        case .lost: isConnected
        case .started, .requestMade, .stopped: true
        }
    }

    mutating func handle(_ event: Reconnection.Event) {
        switch event {
        case .started: isWanted = true
        case .stopped: (isWanted, isConnected) = (false, false)
        case .delayElapsed: isDelayArmed = false
        case .watchFailed: isWatched = false
        case .attemptFailed:
            isConnected = false
            failures += 1
        case .lost: isConnected = false
        case .answered: (isAnswered, failures) = (true, 0)
        case .socketAppeared, .requestMade: break
        }
        let effects = reconnection.handle(event)
        last = effects
        for effect in effects { perform(effect) }
        #expect(effects.dropLast().allSatisfy { $0 != .connect }, "\(event): \(effects)")
        #expect(!isWanted || isConnected || isDelayArmed || isWatched, "\(event): nothing would connect")
        #expect(isWanted || (!isDelayArmed && !isWatched), "\(event): something is left")
        #expect(!isConnected || !isDelayArmed, "\(event): a delay while connected")
    }

    private mutating func perform(_ effect: Reconnection.Effect) {
        switch effect {
        case .connect:
            #expect(isWanted && !isConnected)
            (isConnected, isAnswered, isDelayArmed) = (true, false, false)
        case .watch:
            #expect(!isWatched)
            isWatched = true
        case .retry:
            #expect(!isDelayArmed)
            isDelayArmed = true
        case .rest:
            (isWatched, isDelayArmed) = (false, false)
        }
    }
}
