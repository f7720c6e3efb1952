package import PTTMessages

/// How a characteristic encodes buttons in a notification. Accepts any bytes: what is not listed never begins.
package enum FrameDecoder: Equatable, Sendable {
    /// The beginning of the value is looked up; the longest pattern counts.
    ///
    /// A value of zeros only is a release of every button, listed or not. No other value is: "any value but zero is a press"
    /// would latch permanently with a button that sends the characters 1 and 0.
    case bytes([BytePattern])
    /// The first byte has a bit for each button.
    case bits(BitTable)
    /// The value is text. Each notification stands by itself.
    case tokens(TokenTable)

    package func signals(of value: [UInt8]) -> [Signal] {
        guard let first = value.first else { return [.unknown("empty")] }
        switch self {
        case .bytes(let patterns):
            var longest: BytePattern?
            for pattern in patterns where value.starts(with: pattern.bytes) {
                if pattern.bytes.count > longest?.bytes.count ?? 0 { longest = pattern }
            }
            if let longest { return longest.signals }
            if value.allSatisfy({ $0 == 0 }) { return [.level([])] }
            return [.unknown("not a known value of this button")]
        case .bits(let table): return table.signals(of: first)
        case .tokens(let table):
            var scanner = TokenScanner(table)
            let signals = scanner.signals(of: value) + scanner.finish()
            return signals.isEmpty ? [.unknown("not a known text of this button")] : signals
        }
    }
}

package struct BytePattern: Equatable, Sendable {
    package let bytes: [UInt8]
    package let signals: [Signal]

    package init(_ bytes: [UInt8], _ signals: [Signal]) {
        self.bytes = bytes
        self.signals = signals
    }
}

/// Bits of a byte.
package struct BitTable: Equatable, Sendable {
    /// Each mask has one bit.
    package let roles: [UInt8: ButtonRole]
    /// Bits without a meaning: a heartbeat.
    package let ignored: UInt8

    package init(_ roles: [UInt8: ButtonRole], ignored: UInt8 = 0) {
        self.roles = roles
        self.ignored = ignored
    }

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
