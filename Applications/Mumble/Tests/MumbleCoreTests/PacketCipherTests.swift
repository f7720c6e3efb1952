import Testing

@testable import MumbleCore

@Suite struct PacketCipherTests {
    private static let key = [UInt8](0..<16)
    private static let nonce: UInt128 = 0xf0f1_f2f3_f4f5_f6f7_f8f9_fafb_fcfd_fdfe

    private func cipher() throws -> PacketCipher {
        let nonce = Self.nonce.littleEndianBytes
        return try #require(PacketCipher(key: Self.key, clientNonce: nonce, serverNonce: nonce))
    }

    private func text(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: 7 * $0 + length) }
    }

    /// From `Tests/Vectors/ocb2.py`. The second packet carries into the second byte of the nonce.
    private static let packets = [
        (0, "ff35dd2e"),
        (1, "001ac92483"),
        (15, "01cf964cb92d1a0a655b4ad24d7ed211677fd0"),
        (16, "02bdce74b976766686b6f7b1d459a9458a43fb9e"),
        (17, "03ca3f0aa6c041c2d04c925f425431e4d6e2e89483"),
        (32, "04903e21c1e37caf3befbd30d39e84915772ef8f3972346e2373dbd5bed1fbb9f84149f8"),
        (33, "05adfbd70a9c5f1a090b92fd9fd5e67c42b33ab8ebc5f69f8464c7aee48bcf241a3912ecac"),
        (
            100,
            "0671e5802803942dd6f2b9641baa6e9fbe9d51ffc770ab88c85e20541d7a63928813eb20cd2823d8b916fca2"
                + "f3f80fd909d9fd5da0646631104f4a4618c3325f53b9ab37a224de73c8fd2ba888a80d8eb24e5523156e5b5b"
                + "4e73676988fe0d0ee653ecfd04bd41ee"
        ),
    ]

    @Test func `packets are those of an independent implementation`() throws {
        var sender = try cipher()
        var receiver = try cipher()
        for (length, packet) in Self.packets {
            #expect(sender.seal(text(length)).hexadecimal == packet)
            #expect(receiver.open(try #require([UInt8](hexadecimal: packet))) == text(length))
        }
    }

    @Test func `a packet is opened once`() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        let packets = (0..<40).map { sender.seal(text($0)) }
        for packet in packets { #expect(receiver.open(packet) != nil) }
        for packet in packets { #expect(receiver.open(packet) == nil) }
    }

    @Test func `packets are opened in any order within the window`() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        let packets = (0..<30).map { sender.seal(text($0)) }
        for packet in packets.reversed() { #expect(receiver.open(packet) != nil) }
        for packet in packets { #expect(receiver.open(packet) == nil) }
    }

    @Test func `a packet behind the window is refused`() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        let packets = (0..<31).map { sender.seal(text($0)) }
        #expect(receiver.open(packets[30]) != nil)
        #expect(receiver.open(packets[0]) == nil)
        #expect(receiver.open(packets[1]) != nil)
    }

    @Test func `two hundred packets may be lost`() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        for _ in 0..<200 { _ = sender.seal(text(50)) }
        #expect(receiver.open(sender.seal(text(50))) == text(50))
    }

    @Test func `a changed bit is noticed, and what follows is still opened`() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        let packet = sender.seal(text(50))
        // The bits of the nonce's byte too: they name another nonce.
        for bit in 0..<(packet.count * 8) {
            var damaged = packet
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(receiver.open(damaged) == nil)
        }
        #expect(receiver.open(packet) == text(50))
        #expect(receiver.open([1, 2, 3]) == nil)
        #expect(receiver.open([]) == nil)
    }

    @Test func `a nonce from the server brings ends together that lost count`() throws {
        var (sender, receiver) = (try cipher(), try cipher())
        for _ in 0..<1000 { _ = sender.seal(text(50)) }
        #expect(receiver.open(sender.seal(text(50))) == nil)
        let isRefused = !receiver.resynchronise(serverNonce: [1])
        let isTaken = receiver.resynchronise(serverNonce: sender.clientNonce)
        #expect(isRefused && isTaken)
        #expect(receiver.open(sender.seal(text(50))) == text(50))
    }
}
