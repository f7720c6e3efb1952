import SwiftProtobuf
import Testing

@testable import MumbleCore

/// Voice is encoded so that the server's limit carries it.
@Suite struct BandwidthTests {
    /// The next 20 milliseconds, as they are encoded at the time.
    private func say(_ test: inout TestSession, _ number: Int) -> [ServerSession.Effect] {
        let opus = [UInt8](repeating: 1, count: test.session.bitrate / 400)
        let packet = VoicePacket(number: UInt64(number) * 2, opus: opus, isLast: false)
        return test.session.say(packet, test.now)
    }

    @Test(
        arguments: [
            (0, 32_000), (558_000, 32_000), (72_000, 32_000), (48_000, 25_600), (40_000, 18_400), (1, 6000),
        ] as [(UInt32, Int)]
    )
    func `the bitrate is what the limit leaves beside the headers`(_ limit: UInt32, _ bitrate: Int) throws {
        var test = try TestSession()
        test.bandwidth = limit
        test.join()
        #expect(test.session.bitrate == bitrate)
    }

    @Test func `what is said before the server has told its limit is carried by the lowest usual one`() throws
    {
        var test = try TestSession()
        test.bandwidth = 48_000
        _ = test.session.transmissionBegan(test.now)
        var effects: [ServerSession.Effect] = []
        for number in 0..<95 {
            effects += say(&test, number)
            test.now += .milliseconds(20)
        }
        test.join()
        for number in 95..<500 {
            effects += say(&test, number)
            effects += test.run(.milliseconds(20)).map(\.effect)
            effects += test.say(.ping(WirePing()))
        }
        #expect(!effects.contains { if case .unsent = $0 { true } else { false } })
    }

    @Test func `another limit of a server that runs counts from the next packet on`() throws {
        var test = try TestSession()
        test.join()
        test.now += .seconds(10)
        #expect(test.say(.serverConfig(WireServerConfig())) == [])
        #expect(test.session.bitrate == 32_000)
        #expect(test.say(.serverConfig(.with { $0.maxBandwidth = 1000 })) == [])
        #expect(test.session.bitrate == 6000)
        let effects = (0..<20).flatMap { _ in test.session.say(TestSession.packet, test.now) }
        // Of 920 bits each, with the headers: in ten seconds nine tenths of 10,000.
        #expect(try GrantedFloor.sent(effects) == 9)
    }
}
