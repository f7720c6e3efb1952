import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import MumbleCore

/// Voice and pings: when they are sent, and on which way.
@Suite struct VoicePathTests {
    private func joined(_ now: Duration = .seconds(1000)) throws -> TestSession {
        var test = try TestSession()
        test.join()
        return test
    }

    /// Both ways stand, and somebody here has begun to talk at 1001 seconds.
    private func talking() throws -> TestSession {
        var test = try joined()
        _ = try answer(&test, number: 1)
        test.now += .seconds(1)
        _ = test.session.transmissionBegan(test.now)
        _ = test.say(.ping(WirePing()))
        return test
    }

    /// The server's answer to the last ping by UDP.
    private func answer(_ test: inout TestSession, number: UInt8) throws -> [ServerSession.Effect] {
        let zeros = [UInt8](repeating: 0, count: 16)
        var server = try #require(PacketCipher(key: zeros, clientNonce: zeros, serverNonce: zeros))
        var packet: [UInt8] = []
        for _ in 0..<number { packet = server.seal(VoiceFormat.legacy.encode(.ping(1))) }
        return test.session.receivedDatagram(packet, test.now)
    }

    private func isTunnelled(_ effects: [ServerSession.Effect]) throws -> Bool {
        try TestSession.messages(effects).contains { if case .tunnel = $0 { true } else { false } }
    }

    private func isDatagram(_ effects: [ServerSession.Effect]) -> Bool {
        effects.contains { if case .sendDatagram = $0 { true } else { false } }
    }

    @Test func `voice goes through the tunnel until a ping by UDP is answered`() throws {
        var test = try joined()
        test.now += .seconds(1)
        #expect(try isTunnelled(test.session.say(TestSession.packet, test.now)))
        #expect(try answer(&test, number: 1) == [])
        test.now += .milliseconds(20)
        let effects = test.session.say(TestSession.packet, test.now)
        #expect(try isDatagram(effects) && !isTunnelled(effects))
    }

    @Test func `voice goes through the tunnel again when UDP is silent while somebody talks`() throws {
        var test = try talking()
        // The next ping, two seconds later, is not answered for two seconds. Others are told through the
        // tunnel.
        _ = try answer(&test, number: 2)
        let effects = test.run(.seconds(4)).map(\.effect)
        #expect(try isTunnelled(effects))
        #expect(try isTunnelled(test.session.say(TestSession.packet, test.now)))
    }

    @Test func `a way that was not used for long is tried again before it is used`() throws {
        var test = try joined()
        _ = try answer(&test, number: 1)
        test.now += .seconds(6)
        #expect(isDatagram(test.session.transmissionBegan(test.now)))
        #expect(try isTunnelled(test.session.say(TestSession.packet, test.now)))
        _ = try answer(&test, number: 2)
        #expect(isDatagram(test.session.say(TestSession.packet, test.now)))
    }

    @Test func `a silent channel has one wake-up in 25 seconds`() throws {
        var test = try joined()
        _ = try answer(&test, number: 1)
        var times: [Duration] = []
        var answered: UInt8 = 1
        let start = test.now
        while test.now < start + .seconds(250) {
            test.now = try #require(test.session.deadline)
            times.append(test.now - start)
            #expect(isDatagram(test.session.timer(test.now)))
            answered += 1
            _ = try answer(&test, number: answered)
            _ = test.say(.ping(WirePing()))
        }
        #expect(times == (1...10).map { .seconds(25) * $0 })
    }

    @Test func `a connection on which a ping is not answered is given up`() throws {
        var test = try joined()
        let effects = test.run(.seconds(40))
        #expect(effects.first { $0.effect == .disconnect }?.at == .seconds(1000 + 25 + 10))
        // While somebody talks, soon.
        test = try joined()
        test.now += .seconds(5)
        _ = test.session.transmissionBegan(test.now)
        let talking = test.run(.seconds(5))
        #expect(talking.first { $0.effect == .disconnect }?.at == .seconds(1000 + 5 + 3))
    }

    @Test func `a press while a ping is not answered is told as soon as any other that the connection hangs`()
        throws
    {
        var test = try joined()
        _ = test.run(.seconds(26))
        _ = test.session.transmissionBegan(test.now)
        #expect(test.run(.seconds(20)).first { $0.effect == .disconnect }?.at == .seconds(1000 + 26 + 3))
    }

    @Test func `a connection that hangs in mid-sentence is given up within seven seconds`() throws {
        var test = try talking()
        _ = try answer(&test, number: 2)
        // Two seconds to the next ping by UDP, two for its answer, three for that of the ping by TCP.
        #expect(test.run(.seconds(20)).first { $0.effect == .disconnect }?.at == .seconds(1001 + 7))
    }

    @Test func `what is said before the path stands is sent in order once it does`() throws {
        var test = try TestSession()
        _ = test.session.transmissionBegan(test.now)
        for number in 0..<20 {
            let packet = VoicePacket(
                number: UInt64(number) * 2,
                opus: [UInt8](repeating: 1, count: 80),
                isLast: false
            )
            #expect(test.session.say(packet, test.now) == [])
            test.now += .milliseconds(20)
        }
        var effects = test.synchronise()
        effects += test.enter()
        effects += test.run(.seconds(2)).map(\.effect)
        let numbers = try TestSession.messages(effects).compactMap { message -> UInt8? in
            // A byte for the kind, then the number, which is below 128.
            guard case .tunnel(let bytes) = message, bytes.first == 0x80 else { return nil }
            return bytes[1]
        }
        #expect(numbers == (0..<20).map { $0 * 2 })
    }

    @Test func `who waits for the path does not have the floor`() throws {
        var test = try TestSession()
        _ = test.session.transmissionBegan(test.now)
        #expect(!test.session.hasFloor)
        test.join()
        #expect(test.session.hasFloor)
        _ = test.session.networkChanged(.unknown, test.now)
        _ = test.run(NetworkReaction.settling)
        #expect(!test.session.hasFloor)
        _ = test.say(.ping(WirePing()))
        #expect(test.session.hasFloor)
        _ = test.session.lost("gone", test.now)
        #expect(!test.session.hasFloor)
    }

    @Test func `UDP is not tried before the server has read what had waited`() throws {
        var test = try TestSession()
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.say(TestSession.packet, test.now)
        _ = test.synchronise()
        test.now += .seconds(1)
        let effects = test.enter()
        #expect(try isTunnelled(effects) && !isDatagram(effects))
        #expect(isDatagram(test.say(.ping(WirePing()))))
        #expect(!isDatagram(test.say(.ping(WirePing()))))
    }

    @Test func `what has waited for two seconds is not sent, and the person is told once`() throws {
        var test = try TestSession()
        _ = test.session.say(TestSession.packet, test.now)
        _ = test.session.lost("refused", test.now)
        _ = test.session.timer(test.now)
        let effects = test.run(.seconds(3))
        let unsent = effects.filter { if case .unsent = $0.effect { true } else { false } }
        #expect(unsent.map(\.at) == [.seconds(1002)])
        test.now += .seconds(1)
        _ = test.session.lost("refused", test.now)
        while case .waiting = test.session.state { _ = test.run(.milliseconds(100)) }
        var late = test.synchronise()
        late += test.enter()
        #expect(try !isTunnelled(late))
    }

    @Test func `what the server's limit delays for four seconds is not sent, and the person is told once`()
        throws
    {
        var test = try TestSession()
        test.bandwidth = 1
        test.join()
        _ = try answer(&test, number: 1)
        for _ in 0..<50 { _ = test.session.say(TestSession.packet, test.now) }
        let effects = test.run(.seconds(5))
        #expect(effects.map(\.effect) == [.unsent("host:64738 takes less than is said")])
        #expect(effects.first?.at == .seconds(1004))
        // The next ping.
        #expect(test.session.deadline == .seconds(1025))
    }

    @Test func `what is said is bounded also where time stands still`() throws {
        var test = try TestSession()
        let effects = (0..<101).flatMap { _ in test.session.say(TestSession.packet, test.now) }
        #expect(effects.count == 1)
    }

    /// As the server counts: https://github.com/mumble-voip/mumble/blob/1.3.x/src/murmur/ServerUser.cpp
    @Test func `the server's limit is never exceeded, and used`() {
        let limit = 72_000.0
        var bandwidth = Bandwidth(limit: UInt32(limit), since: .zero)
        var sent: [(bits: Double, at: Double)] = []
        // As much as is allowed, asked every 5 milliseconds for a minute.
        for step in 0..<12_000 {
            let now = Double(step) / 200
            guard bandwidth.take(100, .milliseconds(step * 5)) else { continue }
            sent.append((132 * 8, now))
            let first = sent.count > 360 ? sent[sent.count - 361].at : 0
            let bits = sent.suffix(360).reduce(0) { $0 + $1.bits }
            #expect(bits <= limit * (now - first))
        }
        #expect(sent.reduce(0) { $0 + $1.bits } / 60 > limit * 0.85)
    }

    @Test func `the limit counts from when the server has answered`() throws {
        var test = try TestSession()
        _ = test.session.connected(test.now)
        // It accepts the connection five seconds after the kernel of its machine has.
        test.now += .seconds(5)
        _ = test.synchronise()
        var effects = test.enter()
        for _ in 0..<20 { effects += test.session.say(TestSession.packet, test.now) }
        #expect(try !isTunnelled(effects))
        #expect(try isTunnelled(test.run(.seconds(1)).map(\.effect)))
    }

    @Test func `without a limit all is sent`() {
        var bandwidth = Bandwidth(limit: 0, since: .zero)
        #expect((0..<1000).allSatisfy { _ in bandwidth.take(1000, .zero) })
    }

    @Test func `what cannot be decrypted for five seconds has the nonce asked for, at most every five`()
        throws
    {
        var test = try joined()
        var asked: [Duration] = []
        let start = test.now
        for _ in 0..<240 {
            test.now += .milliseconds(50)
            let effects = test.session.receivedDatagram([1, 2, 3, 4, 5, 6, 7], test.now)
            let messages = try TestSession.messages(effects)
            if messages == [.cryptSetup(WireCryptSetup())] { asked.append(test.now - start) }
        }
        #expect(asked == [.seconds(5), .seconds(10)])
    }

    @Test func `a key that is of no use has voice go through the tunnel, and no ping by UDP is due`() throws {
        var test = try joined()
        _ = try answer(&test, number: 1)
        #expect(test.session.way == .datagrams)
        _ = test.say(.cryptSetup(.with { $0.key = Data([1]) }))
        #expect(test.session.way == .tunnel)
        test.now = try #require(test.session.deadline)
        #expect(!isDatagram(test.session.timer(test.now)))
        #expect(try #require(test.session.deadline) > test.now)
        #expect(try isTunnelled(test.session.say(TestSession.packet, test.now)))
    }

    @Test func `a server that has lost count is told our nonce`() throws {
        var test = try joined()
        let messages = try TestSession.messages(test.say(.cryptSetup(WireCryptSetup())))
        guard case .cryptSetup(let setup) = messages.first else {
            Issue.record("\(messages)")
            return
        }
        // One ping was sent.
        #expect(Array(setup.clientNonce) == [1] + [UInt8](repeating: 0, count: 15))
    }
}
