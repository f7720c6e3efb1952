import SwiftProtobuf
import Testing

@testable import MumbleCore

/// The way of voice by UDP, as the server and the socket have it.
@Suite struct DatagramPathTests {
    /// The cipher of the server: ``TestSession`` has told the key.
    private func server() throws -> PacketCipher {
        let zeros = [UInt8](repeating: 0, count: 16)
        return try #require(PacketCipher(key: zeros, clientNonce: zeros, serverNonce: zeros))
    }

    /// The server's answer to a ping by UDP.
    private func answer(
        _ test: inout TestSession,
        _ cipher: inout PacketCipher,
        _ format: VoiceFormat = .legacy
    ) -> [ServerSession.Effect] {
        test.session.receivedDatagram(cipher.seal(format.encode(.ping(1))), test.now)
    }

    private func datagrams(_ effects: [ServerSession.Effect]) -> [[UInt8]] {
        effects.compactMap { if case .sendDatagram(let packet) = $0 { packet } else { nil } }
    }

    private func isTunnelled(_ effects: [ServerSession.Effect]) throws -> Bool {
        try TestSession.messages(effects).contains { if case .tunnel = $0 { true } else { false } }
    }

    @Test func `voice goes through the tunnel as soon as the socket fails, and by the next one that answers`()
        throws
    {
        var test = try TestSession()
        var cipher = try server()
        test.join()
        _ = answer(&test, &cipher)
        test.now += .seconds(1)
        _ = test.session.transmissionBegan(test.now)
        _ = test.say(.ping(WirePing()))
        #expect(datagrams(test.session.say(TestSession.packet, test.now)).count == 1)

        // Others are told through the tunnel, and nothing is sent that would need the socket.
        let lost = test.session.lostDatagrams(test.now)
        #expect(try isTunnelled(lost) && datagrams(lost).isEmpty)
        #expect(test.session.way == .tunnel)
        #expect(try isTunnelled(test.session.say(TestSession.packet, test.now)))

        let ping = test.run(ServerSession.talkingPingInterval).map(\.effect)
        #expect(datagrams(ping).count == 1)
        #expect(answer(&test, &cipher) == [] && test.session.way == .datagrams)
        #expect(datagrams(test.session.say(TestSession.packet, test.now)).count == 1)
    }

    @Test func `a socket that fails before we are in the channel sends nothing`() throws {
        var test = try TestSession()
        #expect(test.session.lostDatagrams(test.now) == [])
        _ = test.synchronise()
        #expect(test.session.lostDatagrams(test.now) == [])
    }

    @Test func `the server's version counts for its format also if it comes after the key`() throws {
        var test = try TestSession()
        var cipher = try server()
        test.join()
        _ = test.say(.version(.with { $0.versionV1 = 1 << 16 | 5 << 8 }))
        test.now += .seconds(1)
        let sent = datagrams(test.session.transmissionBegan(test.now)).compactMap { cipher.open($0) }
        #expect(sent == [VoiceFormat.protobuf.encode(.ping(test.now.nanoseconds))])
        #expect(answer(&test, &cipher, .protobuf) == [])
        #expect(test.session.way == .datagrams)
    }
}
