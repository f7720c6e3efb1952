extension String {
    /// The last `count` hexadecimal digits of a number, in lower case. `String(_:radix:)` serves all integers
    /// and bases and brings much code into memory.
    package init(hexadecimal number: UInt64, digits count: Int) {
        var digits: [UInt8] = []
        for place in (0..<count).reversed() {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(4 * place)) & 0xF
            digits.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
        self = String(decoding: digits, as: UTF8.self)
    }
}
