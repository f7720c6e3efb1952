/// Mumble's own encoding of integers, whose first bits say how many bytes follow. It is not protobuf's.
/// https://github.com/mumble-voip/mumble/blob/master/docs/dev/network-protocol/voice_data.md
enum MumbleInteger {
    static func encode(_ value: UInt64) -> [UInt8] {
        switch value {
        case 0..<0x80: [UInt8(value)]
        case 0..<0x4000: [0x80 | UInt8(value >> 8)] + bytes(value, 1)
        case 0..<0x20_0000: [0xc0 | UInt8(value >> 16)] + bytes(value, 2)
        case 0..<0x1000_0000: [0xe0 | UInt8(value >> 24)] + bytes(value, 3)
        case 0..<0x1_0000_0000: [0xf0] + bytes(value, 4)
        default: [0xf4] + bytes(value, 8)
        }
    }

    /// Takes an integer from the front of `input`.
    ///
    /// - Returns: Nil if it is cut off or negative; no sequence, length or session is.
    static func decode(_ input: inout ArraySlice<UInt8>) -> UInt64? {
        guard let first = input.popFirst() else { return nil }
        switch first {
        case 0..<0x80: return UInt64(first)
        case 0x80..<0xc0: return take(1, after: first & 0x3f, &input)
        case 0xc0..<0xe0: return take(2, after: first & 0x1f, &input)
        case 0xe0..<0xf0: return take(3, after: first & 0x0f, &input)
        case 0xf0..<0xf4: return take(4, after: 0, &input)
        case 0xf4..<0xf8: return take(8, after: 0, &input)
        default: return nil
        }
    }

    private static func take(_ count: Int, after high: UInt8, _ input: inout ArraySlice<UInt8>) -> UInt64? {
        guard input.count >= count else { return nil }
        defer { input = input.dropFirst(count) }
        return input.prefix(count).reduce(UInt64(high)) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ value: UInt64, _ count: Int) -> ArraySlice<UInt8> {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }.suffix(count)
    }
}
