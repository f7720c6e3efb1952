import SwiftProtobuf
import Testing

@testable import MumbleCore

/// The way of voice by UDP, as the server and the socket have it.
@Suite struct DatagramPathTests {
    /// What the server encrypts with: ``TestSession`` has told the key.
    private func server() throws -> PacketCipher {
        let zeros = [UInt8](repeating: 0, count: 16)
        return try #require(PacketCipher(key: zeros, clientNonce: zeros, serverNonce: zeros))
    }

    /// The server's answer to a ping by UDP.
    private func answer(
        _ test: inout TestSession,
        _ server: inout PacketCipher,
        _ format: VoiceFormat = .legacy
    ) -> [ServerSession.Effect] {
        test.session.receivedDatagram(server.seal(format.encode(.ping(1))), test.now)
    }

    private func datagrams(_ effects: [ServerSession.Effect]) -> [[UInt8]] {
        effects.compactMap { if case .sendDatagram(let packet) = $0 { packet } else { nil } }
    }

    @Test func `the server's version counts for its format also if it comes after the key`() throws {
        var test = try TestSession()
        var server = try server()
        test.join()
        _ = test.say(.version(.with { $0.versionV1 = 1 << 16 | 5 << 8 }))
        test.now += .seconds(1)
        let sent = datagrams(test.session.transmissionBegan(test.now)).compactMap { server.open($0) }
        #expect(sent == [VoiceFormat.protobuf.encode(.ping(test.now.nanoseconds))])
        #expect(answer(&test, &server, .protobuf) == [])
        #expect(test.session.way == .datagrams)
    }
}
