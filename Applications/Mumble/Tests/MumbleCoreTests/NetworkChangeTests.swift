import Testing

@testable import MumbleCore

@Suite struct NetworkChangeTests {
    private static let local = IPAddress([192, 168, 1, 7])
    private static let server = IPAddress([10, 1, 2, 3])

    private func connect(_ test: inout TestSession) throws {
        let (local, server) = (try #require(Self.local), try #require(Self.server))
        _ = test.session.connected(test.now, by: ServerSession.Ends(local: local, server: server))
        _ = test.synchronise()
        _ = test.enter()
    }

    /// In the channel since a while.
    private func joined() throws -> TestSession {
        var test = try TestSession()
        try connect(&test)
        _ = test.say(.ping(WirePing()))
        _ = test.run(.seconds(5))
        return test
    }

    private func gone(_ address: IPAddress? = local) throws -> NetworkChange {
        .addressRemoved(try #require(address))
    }

    private func route(_ bytes: [UInt8], _ length: Int, isNew: Bool = true) throws -> NetworkChange {
        let address = try #require(IPAddress(bytes))
        let prefix = try #require(IPPrefix(address, length: length))
        return isNew ? .routeAdded(prefix) : .routeRemoved(prefix)
    }

    private func pings(_ effects: [ServerSession.Effect]) throws -> Int {
        try TestSession.messages(effects).count { if case .ping = $0 { true } else { false } }
    }

    @Test func `a connection whose address is gone is replaced at once`() throws {
        var test = try joined()
        let effects = test.session.networkChanged(try gone(), test.now)
        #expect(effects.first == .disconnect && !effects.contains(.status(.connecting)))
        #expect(test.session.timer(test.now) == [.connect])
    }

    @Test func `another address that is gone is of no concern`() throws {
        var test = try joined()
        let before = test.session.deadline
        #expect(test.session.networkChanged(try gone(Self.server), test.now) == [])
        #expect(test.session.networkChanged(.addressAdded, test.now) == [])
        #expect(test.session.deadline == before)
    }

    @Test func `a new address while an attempt is waited for has it made at once`() throws {
        var test = try joined()
        _ = test.session.networkChanged(try gone(), test.now)
        for _ in 0..<8 {
            _ = test.session.timer(try #require(test.session.deadline))
            _ = test.session.lost("Network is unreachable", test.now)
        }
        let changed = test.now
        _ = test.session.networkChanged(.addressAdded, changed)
        _ = test.session.networkChanged(try route([0, 0, 0, 0], 0), changed + .milliseconds(50))
        let attempt = try #require(test.run(.seconds(1)).first { $0.effect == .connect })
        #expect(attempt.at == changed + .milliseconds(100))
    }

    @Test func `an attempt that is under way is made anew, because it goes the way that is gone`() throws {
        var test = try TestSession()
        _ = test.session.networkChanged(.link(isRunning: true), test.now)
        #expect(test.run(.seconds(1)).map(\.effect) == [.connect])
    }

    @Test func `a route to the server has the connection tried, and others do not`() throws {
        for isNew in [true, false] {
            var test = try joined()
            _ = test.session.networkChanged(try route([172, 17, 0, 0], 16, isNew: isNew), test.now)
            #expect(try pings(test.run(.seconds(1)).map(\.effect)) == 0)
            _ = test.session.networkChanged(try route([10, 0, 0, 0], 8, isNew: isNew), test.now)
            #expect(try pings(test.run(.milliseconds(500)).map(\.effect)) == 1)
        }
    }

    @Test func `a connection that does not answer after a change is replaced within a second`() throws {
        var test = try joined()
        let changed = test.now
        _ = test.session.networkChanged(.unknown, changed)
        let effects = test.run(.seconds(2))
        let attempt = try #require(effects.first { $0.effect == .connect })
        #expect(attempt.at == changed + .milliseconds(1100))
        #expect(!effects.contains { $0.at < attempt.at && $0.effect == .status(.connecting) })
    }

    @Test func `what is said waits until the connection has answered, and goes through it in order`() throws {
        var test = try joined()
        _ = test.session.transmissionBegan(test.now)
        _ = test.say(.ping(WirePing()))
        _ = test.session.networkChanged(.link(isRunning: false), test.now)
        _ = test.run(.milliseconds(100))
        for number in 0..<10 {
            let packet = VoicePacket(number: UInt64(2 * number), opus: [1], isLast: false)
            #expect(test.session.say(packet, test.now) == [])
            _ = test.run(.milliseconds(20))
        }
        let voice = try TestSession.messages(test.say(.ping(WirePing()))).count {
            if case .tunnel = $0 { true } else { false }
        }
        #expect(voice == 10)
    }

    @Test func `what is said while the network is away is sent on the next connection`() throws {
        var test = try joined()
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.networkChanged(try gone(), test.now)
        _ = test.session.say(TestSession.packet, test.now)
        _ = test.session.timer(test.now)
        _ = test.session.lost("Network is unreachable", test.now)
        _ = test.run(.seconds(1))
        _ = test.session.networkChanged(.addressAdded, test.now)
        #expect(test.run(.milliseconds(100)).map(\.effect) == [.connect])
        _ = test.synchronise()
        _ = test.enter()
        // The server counts the bandwidth from the beginning of the connection.
        let effects = test.run(.milliseconds(100)).map(\.effect)
        #expect(try TestSession.messages(effects).contains { if case .tunnel = $0 { true } else { false } })
    }

    @Test func `a network that stays away is shown after two seconds`() throws {
        var test = try joined()
        let lost = test.now
        _ = test.session.networkChanged(try gone(), lost)
        while test.now < lost + .seconds(5), let deadline = test.session.deadline {
            test.now = max(test.now, deadline)
            let effects = test.session.timer(test.now)
            if effects.contains(.status(.connecting)) {
                #expect(test.now == lost + .seconds(2))
                return
            }
            if effects.contains(.connect) { _ = test.session.lost("Network is unreachable", test.now) }
        }
        Issue.record("it is not shown")
    }

    @Test func `a flood of changes causes a bounded number of pings and attempts`() throws {
        var test = try joined()
        var effects: [ServerSession.Effect] = []
        for _ in 0..<10_000 {
            effects += test.session.networkChanged(.unknown, test.now)
            effects += test.run(.milliseconds(1)).map(\.effect)
            if test.session.outgoing.isHeld { effects += test.say(.ping(WirePing())) }
        }
        #expect(try pings(effects) <= 21 && !effects.contains(.connect))

        test = try TestSession()
        let begin = test.now
        var count = 0
        while test.now < begin + .seconds(120) {
            _ = test.session.networkChanged(.unknown, test.now)
            if test.run(.milliseconds(10)).contains(where: { $0.effect == .connect }) {
                count += 1
                _ = test.session.connected(test.now)
                _ = test.session.lost("the server closes the connection", test.now)
            }
        }
        #expect(count <= ConnectionLimit.count)
    }

    @Test func `a network that changes again and again is no reason to be banned by the server`() throws {
        var test = try joined()
        let begin = test.now
        var connections: [Duration] = []
        while test.now < begin + .seconds(600) {
            if test.run(.seconds(1)).contains(where: { $0.effect == .connect }) {
                try connect(&test)
                connections.append(test.now)
            }
            _ = test.session.networkChanged(try gone(), test.now)
            _ = test.session.networkChanged(.addressAdded, test.now)
        }
        for (index, time) in connections.enumerated() {
            #expect(connections[...index].count { time - $0 < .seconds(120) } <= 10)
        }
    }
}
