/// The texts that an accessory sends, and what they mean.
package struct TokenTable: Equatable, Sendable {
    package struct Token: Equatable, Sendable {
        package let bytes: [UInt8]
        package let signals: [Signal]
        /// Whether the charge of the battery follows, as one to three decimal digits.
        package let hasBattery: Bool

        package init(_ bytes: [UInt8], _ signals: [Signal], hasBattery: Bool = false) {
            self.bytes = bytes
            self.signals = signals
            self.hasBattery = hasBattery
        }
    }

    package let tokens: [Token]
    /// Bytes that are dropped wherever they are: padding and line ends.
    package let stripped: Set<UInt8>

    package init(_ tokens: [Token], stripped: Set<UInt8> = []) {
        self.tokens = tokens
        self.stripped = stripped
    }
}

/// Finds the tokens in a stream without delimiters. Tokens may follow each other directly, be split anywhere, and be
/// surrounded by noise.
///
/// It keeps at most as many bytes as the longest token has.
package struct TokenScanner: Equatable, Sendable {
    private static let batteryDigits = 3

    private let table: TokenTable
    private var pending: [UInt8] = []
    /// The digits after a token of the battery.
    private var digits: [UInt8]?

    package init(_ table: TokenTable) {
        self.table = table
    }

    /// Forgets an unfinished token, because the stream has begun anew.
    package mutating func reset() {
        pending = []
        digits = nil
    }

    package mutating func signals(of bytes: [UInt8]) -> [Signal] {
        var signals: [Signal] = []
        for byte in bytes where !table.stripped.contains(byte) {
            if let known = digits {
                if isDigit(byte), known.count < Self.batteryDigits {
                    digits = known + [byte]
                    continue
                }
                signals += finish()
            }
            pending.append(byte)
            signals += removeTokens()
        }
        return signals
    }

    /// The charge of the battery whose digits were the last bytes: nothing more follows.
    package mutating func finish() -> [Signal] {
        defer { digits = nil }
        guard let digits, !digits.isEmpty else { return [] }
        return [.battery(min(100, digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }))]
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Removes the token that ends with the newest byte, unless a longer one may still follow, and drops what can no
    /// longer become one.
    private mutating func removeTokens() -> [Signal] {
        while !pending.isEmpty {
            if let token = table.tokens.first(where: { $0.bytes == pending }) {
                pending = []
                if token.hasBattery { digits = [] }
                return token.signals
            }
            if table.tokens.contains(where: { $0.bytes.starts(with: pending) }) { return [] }
            pending.removeFirst()
        }
        return []
    }
}
