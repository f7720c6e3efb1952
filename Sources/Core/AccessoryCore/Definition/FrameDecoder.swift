package import PTTMessages

/// The encoding of buttons in a notification of a characteristic. Accepts any bytes: what is not listed never
/// begins.
package enum FrameDecoder: Equatable, Sendable {
    /// The value is looked up; of the patterns that match the longest counts, and of these the one with the
    /// fewest free bytes.
    ///
    /// A value of zeros only is a release of every button, listed or not. No other value is: "any value but
    /// zero is a press" would latch permanently with a button that sends the characters 1 and 0. A value that
    /// is not listed may be a release all the same, of a button that reports more than its edges: it ends
    /// what is held.
    case bytes([BytePattern])
    /// The first byte has a bit for each button.
    case bits(BitTable)
    /// The value is text. Each notification stands by itself.
    case tokens(TokenTable)

    package func signals(of value: [UInt8]) -> [Signal] {
        guard let first = value.first else {
            if case .tokens = self { return [.unknown("empty")] }
            return [.uncertain, .unknown("empty")]
        }
        switch self {
        case .bytes(let patterns):
            var best: BytePattern?
            for pattern in patterns where pattern.matches(value) {
                if best.map({ pattern.isCloser(than: $0) }) ?? true { best = pattern }
            }
            if let best { return best.signals }
            if value.allSatisfy({ $0 == 0 }) { return [.level([])] }
            return [.uncertain, .unknown("not a known value of this button")]
        case .bits(let table): return table.signals(of: first)
        case .tokens(let table):
            var scanner = TokenScanner(table)
            let signals = scanner.signals(of: value) + scanner.finish()
            return signals.isEmpty ? [.unknown("not a known text of this button")] : signals
        }
    }
}

package struct BytePattern: Equatable, Sendable {
    /// At the places of ``free`` zeros.
    package let bytes: [UInt8]
    package let signals: [Signal]
    /// The places where any byte may be: a counter, the charge of a battery.
    package let free: Set<Int>
    /// True if the value ends where the pattern does.
    package let isWhole: Bool

    package init(_ bytes: [UInt8], _ signals: [Signal], free: Set<Int> = [], isWhole: Bool = false) {
        self.bytes = bytes.enumerated().map { free.contains($0.offset) ? 0 : $0.element }
        self.signals = signals
        self.free = free
        self.isWhole = isWhole
    }

    fileprivate func matches(_ value: [UInt8]) -> Bool {
        guard !free.isEmpty || isWhole else { return value.starts(with: bytes) }
        guard isWhole ? value.count == bytes.count : value.count >= bytes.count else { return false }
        let isSame = bytes.indices.allSatisfy { free.contains($0) || value[$0] == bytes[$0] }
        // Zeros only are a release, whatever a free byte would make of them.
        return isSame && (free.isEmpty || value.contains { $0 != 0 })
    }

    fileprivate func isCloser(than other: BytePattern) -> Bool {
        (bytes.count, -free.count) > (other.bytes.count, -other.free.count)
    }

    /// Returns true if a value can match both, and neither is closer.
    func isAmbiguous(with other: BytePattern) -> Bool {
        guard bytes.count == other.bytes.count, free.count == other.free.count else { return false }
        return bytes.indices.allSatisfy {
            free.contains($0) || other.free.contains($0) || bytes[$0] == other.bytes[$0]
        }
    }
}

/// Bits of a byte.
package struct BitTable: Equatable, Sendable {
    /// Each mask has one bit.
    package let roles: [UInt8: ButtonRole]
    /// Bits without a meaning: a heartbeat.
    package internal(set) var ignored: UInt8 = 0

    /// A value with an unknown bit begins nothing, but a button whose bit is clear is up.
    func signals(of byte: UInt8) -> [Signal] {
        let down = Set(roles.filter { byte & $0.key != 0 }.values)
        let known = roles.keys.reduce(ignored, |)
        guard byte & ~known == 0 else {
            let up = roles.filter { byte & $0.key == 0 }.sorted { $0.key < $1.key }
            return up.map { .up($0.value) } + [.unknown("not a known bit of this button")]
        }
        return [.level(down)] + (byte & ignored == 0 ? [] : [.alive])
    }
}
