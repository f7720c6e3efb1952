import Testing

@testable import MumbleCore

@Suite struct DatagramTests {
    private static let numbers: [(UInt64, String)] = [
        (0, "00"), (0x7f, "7f"), (0x80, "8080"), (0x3fff, "bfff"), (0x4000, "c04000"),
        (0x1f_ffff, "dfffff"), (0x20_0000, "e0200000"), (0xfff_ffff, "efffffff"),
        (0x1000_0000, "f010000000"), (0xffff_ffff, "f0ffffffff"), (0x1_0000_0000, "f40000000100000000"),
        (.max, "f4ffffffffffffffff"),
    ]

    @Test func `Mumble's integers have the shortest form, and are read back`() {
        for (number, bytes) in Self.numbers {
            #expect(MumbleInteger.encode(number).hexadecimal == bytes)
            var input = MumbleInteger.encode(number)[...] + [0x55]
            let decoded = MumbleInteger.decode(&input)
            #expect(decoded == number)
            #expect(input == [0x55])
        }
    }

    @Test func `an integer that is cut off or negative is none`() throws {
        for (_, bytes) in Self.numbers {
            var input = try #require([UInt8](hexadecimal: bytes)).dropLast()
            let decoded = MumbleInteger.decode(&input)
            #expect(decoded == nil)
        }
        for first in UInt8(0xf8)...0xff {
            var input: ArraySlice = [first, 0, 0, 0, 0, 0, 0, 0, 0]
            let decoded = MumbleInteger.decode(&input)
            #expect(decoded == nil)
        }
    }

    private let packet = VoicePacket(number: 300, opus: [1, 2, 3], isLast: true)

    /// The bytes are written by hand from
    /// https://github.com/mumble-voip/mumble/blob/master/docs/dev/network-protocol/voice_data.md
    @Test func `what is said is written in the format of the server`() {
        #expect(VoiceFormat.legacy.encode(.voice(packet)).hexadecimal == "80812ca003010203")
        #expect(VoiceFormat.legacy.encode(.ping(300)).hexadecimal == "20812c")
        #expect(VoiceFormat.protobuf.encode(.voice(packet)).hexadecimal == "00080020ac022a03010203800101")
        #expect(VoiceFormat.protobuf.encode(.ping(300)).hexadecimal == "0108ac02")
    }

    @Test(arguments: [VoiceFormat.legacy, .protobuf])
    func `what others say is read`(_ format: VoiceFormat) {
        for isLast in [false, true] {
            let packet = VoicePacket(session: 70_000, number: 1 << 40, opus: [UInt8](0..<200), isLast: isLast)
            #expect(format.decode(format.encode(.voice(packet))) == .voice(packet))
        }
        #expect(format.decode(format.encode(.ping(.max))) == .ping(.max))
    }

    @Test func `other codecs, and positions after the voice, are left out`() {
        // A packet of CELT, and one of ours with a position.
        #expect(VoiceFormat.legacy.decode([0x00, 1, 2, 1, 9]) == nil)
        #expect(
            VoiceFormat.legacy.decode([0x80, 1, 2, 1, 9, 0, 0, 0, 0])
                == .voice(VoicePacket(session: 1, number: 2, opus: [9], isLast: false))
        )
    }

    @Test(arguments: [VoiceFormat.legacy, .protobuf])
    func `whatever is cut off, too long or random is read or refused, and nothing else`(_ format: VoiceFormat)
    {
        let whole = format.encode(.voice(VoicePacket(session: 5, number: 9, opus: [7, 7, 7], isLast: false)))
        for count in 0..<whole.count {
            if case .voice(let packet) = format.decode(Array(whole.prefix(count))) {
                // Without a length of its own, protobuf may end anywhere between two fields.
                #expect(packet.session == 5 && format == .protobuf)
            }
        }
        #expect(format.decode(whole + [UInt8](repeating: 0, count: 1024)) == nil)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255, using: &random) }
            if case .voice(let packet) = format.decode(bytes) { #expect(packet.opus.count <= bytes.count) }
        }
    }
}
