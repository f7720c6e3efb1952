/// The texts that a serial accessory sends, and what they mean.
package struct TokenTable: Equatable, Sendable {
    package struct Token: Equatable, Sendable {
        package let bytes: [UInt8]
        package let signals: [Signal]

        package init(_ bytes: [UInt8], _ signals: [Signal]) {
            self.bytes = bytes
            self.signals = signals
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
    private let table: TokenTable
    private var pending: [UInt8] = []

    package init(_ table: TokenTable) {
        self.table = table
    }

    /// Forgets an unfinished token, because the stream has begun anew.
    package mutating func reset() {
        pending = []
    }

    package mutating func signals(of bytes: [UInt8]) -> [Signal] {
        var signals: [Signal] = []
        for byte in bytes where !table.stripped.contains(byte) {
            pending.append(byte)
            signals += takeTokens()
        }
        return signals
    }

    /// Takes the token that ends with the newest byte, unless a longer one may still follow, and drops what can no longer
    /// become one.
    private mutating func takeTokens() -> [Signal] {
        while !pending.isEmpty {
            if let token = table.tokens.first(where: { $0.bytes == pending }) {
                pending = []
                return token.signals
            }
            if table.tokens.contains(where: { $0.bytes.starts(with: pending) }) { return [] }
            pending.removeFirst()
        }
        return []
    }
}
