import PTTMessages
import TestSupport
import Testing

@testable import AccessoryCore

@Suite struct SerialConnectionTests {
    private static let events: [SerialConnection.Event] = [
        .available(.accepted), .available(.refused), .bluetoothLost, .dismissed, .linkUp, .linkDown, .wanted,
        .profileConnected, .profileFailed(.unanswered), .profileFailed(.refused), .profileDisconnected,
        .portReceived, .directOpened, .directFailed(.unanswered), .directFailed(.refused), .portClosed,
        .disconnectionRequested, .timerFired,
    ]

    @Test func `the port that bluetoothd passes is read, and the late answer of the call changes nothing`() {
        var host = Host()
        #expect(host.handle(.available(.accepted)) == [.connectProfile])
        #expect(host.handle(.portReceived) == [.adoptPort])
        #expect(host.handle(.profileConnected) == [])
        #expect(host.connection.isOpen)
    }

    @Test func `a port is read that comes with no call pending`() {
        var host = Host()
        _ = host.handle(.available(.accepted))
        _ = host.handle(.profileFailed(.unanswered))
        #expect(host.handle(.portReceived) == [.adoptPort, .cancelTimer])
    }

    @Test func `a second port replaces the first`() {
        var host = Host(opened: .profile)
        #expect(host.handle(.portReceived) == [.closePort, .adoptPort])
    }

    @Test func `an answer without a port disconnects the profile, and the next attempt follows`() {
        var host = Host()
        _ = host.handle(.available(.accepted))
        #expect(host.handle(.profileConnected) == [.disconnectProfile])
        #expect(host.handle(.profileDisconnected) == [.setTimer(host.now + .milliseconds(400))])
        #expect(host.expire() == [.connectProfile])
    }

    @Test func `after three refusals it connects directly, and directly at once after the next loss`() {
        var host = Host()
        #expect(host.handle(.available(.accepted)) == [.connectProfile])
        for _ in 1...2 {
            _ = host.handle(.profileFailed(.refused))
            #expect(host.expire() == [.connectProfile])
        }
        #expect(host.handle(.profileFailed(.refused)) == [.connectDirectly])
        #expect(host.handle(.directOpened) == [.adoptPort])
        host.now = host.now + .seconds(60)
        #expect(host.handle(.portClosed).first == .closePort)
        #expect(host.expire() == [.connectDirectly])
        _ = host.handle(.directFailed(.unanswered))
        #expect(host.expire() == [.connectDirectly])
        _ = host.handle(.directFailed(.refused))
        #expect(host.expire() == [.connectProfile])
    }

    @Test func `where another program has the service class it connects directly`() {
        var host = Host()
        #expect(host.handle(.available(.refused)) == [.connectDirectly])
        #expect(host.handle(.directOpened) == [.adoptPort])
    }

    @Test func `an accessory that does not answer is tried less and less often, and then not at all`() {
        var host = Host()
        var effects = host.handle(.available(.accepted))
        var delays: [Duration] = []
        while effects == [.connectProfile], delays.count < 100 {
            _ = host.handle(.profileFailed(.unanswered))
            guard let timer = host.timer else { break }
            delays.append(timer - host.now)
            effects = host.expire()
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128].map { .seconds($0) })
        #expect(host.connection.state == .dormant)
        #expect(host.timer == nil)
    }

    @Test(arguments: [SerialConnection.Event.linkUp, .wanted])
    func `a sign of life ends the wait for an accessory that counts as switched off`(
        sign: SerialConnection.Event
    ) {
        var host = Host(dormant: true)
        #expect(host.handle(sign) == [.connectProfile])
        #expect(host.handle(sign) == [])
        #expect(host.handle(.profileFailed(.unanswered)) == [.setTimer(host.now + .seconds(1))])
    }

    @Test func `a sign of life makes the next attempt at once`() {
        var host = Host()
        _ = host.handle(.available(.accepted))
        _ = host.handle(.profileFailed(.unanswered))
        #expect(host.handle(.linkUp) == [.connectProfile, .cancelTimer])
    }

    @Test func `while its link is up an accessory does not count as switched off`() {
        var host = Host()
        _ = host.handle(.linkUp)
        _ = host.handle(.available(.accepted))
        for _ in 0..<20 {
            _ = host.handle(.profileFailed(.unanswered))
            #expect(host.timer.map { $0 - host.now <= .seconds(60) } == true)
            #expect(host.expire() == [.connectProfile])
        }
    }

    @Test func `a port that is closed as soon as it is open is opened less and less often`() {
        var host = Host(opened: .profile)
        var delays: [Duration] = []
        for _ in 0..<4 {
            _ = host.handle(.portClosed)
            if let timer = host.timer { delays.append(timer - host.now) }
            _ = host.expire()
            _ = host.handle(.portReceived)
        }
        #expect(delays == [1, 2, 4, 8].map { .seconds($0) })
    }

    @Test func `a program that disconnects it in BlueZ is not overridden`() {
        var host = Host(opened: .profile)
        #expect(host.handle(.disconnectionRequested) == [.closePort])
        #expect(host.handle(.linkDown) == [])
        #expect(host.timer == nil)
    }

    @Test func `bluetoothd is not left with a connection of an accessory that is not used any more`() {
        var host = Host(opened: .profile)
        #expect(host.handle(.dismissed) == [.closePort, .disconnectProfile])
        host = Host(opened: .direct)
        #expect(host.handle(.dismissed) == [.closePort])
    }

    @Test func `all sequences of five events keep the rules`() {
        func explore(_ host: Host, _ depth: Int) {
            guard depth > 0 else { return }
            for event in Self.events {
                var next = host
                next.now = next.now + .seconds(3)
                next.checked(event)
                explore(next, depth - 1)
            }
        }
        explore(Host(), 5)
        for start in [Host(opened: .profile), Host(opened: .direct), Host(dormant: true)] {
            explore(start, 4)
        }
    }

    @Test func `long random sequences keep the rules, and end without a timer if nothing answers`() {
        var random = SplitMix(state: 1)
        for _ in 0..<300 {
            var host = Host()
            for _ in 0..<200 {
                host.now = host.now + .milliseconds(Int.random(in: 0...20_000, using: &random))
                if let event = Self.events.randomElement(using: &random) { host.checked(event) }
            }
            host.checked(.linkDown)
            var attempts = 0
            while host.connection.state != .dormant, host.connection != SerialConnection(), attempts < 50 {
                attempts += 1
                host.checked(.portClosed)
                host.checked(.profileDisconnected)
                host.checked(.profileFailed(.unanswered))
                host.checked(.directFailed(.unanswered))
                if host.timer == nil { break }
                _ = host.expire()
            }
            #expect(host.timer == nil && attempts <= 2 * SerialConnection.attempts)
        }
    }
}

/// A shell that only records.
private struct Host {
    var connection = SerialConnection()
    var now = MonotonicTime(nanoseconds: 0)
    var timer: MonotonicTime?
    private var isPortRead = false

    init() {}

    init(opened route: SerialConnection.Route) {
        switch route {
        case .profile:
            _ = handle(.available(.accepted))
            _ = handle(.portReceived)
        case .direct:
            _ = handle(.available(.refused))
            _ = handle(.directOpened)
        }
    }

    init(dormant: Bool) {
        _ = handle(.available(.accepted))
        for _ in 0..<100 where dormant && connection.state != .dormant {
            _ = handle(.profileFailed(.unanswered))
            if timer != nil { _ = expire() }
        }
    }

    mutating func handle(_ event: SerialConnection.Event) -> [SerialConnection.Effect] {
        if event == .timerFired { timer = nil }
        let effects = connection.handle(event, at: now)
        for effect in effects {
            switch effect {
            case .setTimer(let time): timer = time
            case .cancelTimer: timer = nil
            case .adoptPort: isPortRead = true
            case .closePort: isPortRead = false
            case .connectProfile, .disconnectProfile, .connectDirectly, .cancelDirect: break
            }
        }
        return effects
    }

    /// The timer fires.
    mutating func expire() -> [SerialConnection.Effect] {
        now = timer ?? now
        return handle(.timerFired)
    }

    /// Handles an event, and checks what must hold after each.
    mutating func checked(_ event: SerialConnection.Event) {
        let (wasRead, wasDormant) = (isPortRead, connection.state == .dormant)
        let effects = handle(event)
        let adoptions = effects.filter { $0 == .adoptPort }.count
        let closings = effects.filter { $0 == .closePort }.count
        let mayAdopt = event == .portReceived || event == .directOpened
        // A port is closed before another one is read, and only one that was passed or opened just now is
        // read.
        guard isPortRead == connection.isOpen, adoptions <= (mayAdopt ? 1 : 0), closings <= (wasRead ? 1 : 0),
            !(wasRead && adoptions == 1 && effects.first != .closePort)
        else {
            Issue.record("\(event): \(effects)")
            return
        }
        switch event {
        case .bluetoothLost, .dismissed, .linkDown, .portClosed:
            if isPortRead { Issue.record("\(event): the port is still read") }
        case .available, .linkUp, .wanted, .profileConnected, .profileFailed, .profileDisconnected,
            .portReceived, .directOpened, .directFailed, .disconnectionRequested, .timerFired:
            break
        }
        let mayWait = !connection.isOpen && connection.state != .dormant
        if timer != nil, !mayWait { Issue.record("\(event): a timer without need") }
        let isSign = [.linkUp, .wanted, .portReceived].contains(event)
        if wasDormant, !isSign, !effects.isEmpty { Issue.record("\(event): \(effects) of a dormant one") }
    }
}
