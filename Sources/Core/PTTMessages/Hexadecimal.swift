extension String {
    /// The last so many hexadecimal digits of a word, in lower case. `String(_:radix:)` is for all integers and bases,
    /// and brings much code into memory.
    package init(hexadecimal word: UInt64, digits count: Int) {
        var digits: [UInt8] = []
        for place in (0..<count).reversed() {
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(4 * place)) & 0xF
            digits.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        self = String(decoding: digits, as: UTF8.self)
    }
}
