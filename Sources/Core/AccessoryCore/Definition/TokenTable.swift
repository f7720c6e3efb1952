package import PTTMessages

/// The texts that an accessory sends, and what they mean.
package struct TokenTable: Equatable, Sendable {
    package struct Token: Equatable, Sendable {
        package let bytes: [UInt8]
        package let signals: [Signal]
        /// True if the charge of the battery follows, as one to three decimal digits.
        package internal(set) var hasBattery = false

        /// So short that it is also a part of other texts: the `1` of `+BAT=15`.
        package var isShort: Bool { bytes.count <= 2 }
    }

    package let tokens: [Token]
    /// Bytes that are dropped wherever they are: padding and line ends.
    package internal(set) var stripped: Set<UInt8> = []
    /// True if what is none of the tokens may be the release of a button.
    package internal(set) var othersRelease = false
}

/// Finds the tokens in a stream without delimiters. Tokens may follow each other directly, be split anywhere,
/// and be surrounded by noise.
///
/// A token of one or two bytes counts only as a whole line or a whole read. Where a line is nothing but such
/// tokens, of presses and releases that arrived together, the releases among them count. A line that nothing
/// ends is over after ``silence``: what is cut short must not take the next press with it.
///
/// It keeps at most as many bytes as the longest token has.
package struct TokenScanner: Equatable, Sendable {
    private static let batteryDigits = 3
    /// Between texts: NUL, line feed, carriage return.
    private static let lineEnds: Set<UInt8> = [0x00, 0x0A, 0x0D]
    /// Far longer than the parts of one text are apart.
    private static let silence = Duration.seconds(2)

    private let table: TokenTable
    private let hasShort: Bool
    private var pending: [UInt8] = []
    /// The digits after a token of the battery.
    private var digits: [UInt8]?
    /// True if the last read ended within a line.
    private var isInLine = false
    /// The time of the last read.
    private var last: MonotonicTime?
    /// True if bytes were dropped that are not of a longer token.
    private var hasOthers = false

    package init(_ table: TokenTable) {
        self.table = table
        hasShort = table.tokens.contains(where: \.isShort)
    }

    /// Forgets an unfinished token, because the stream has begun anew.
    package mutating func reset() {
        self = TokenScanner(table)
    }

    /// Returns the meaning of the tokens in bytes that were read now.
    package mutating func signals(of bytes: [UInt8], at now: MonotonicTime) -> [Signal] {
        if let last, now - last > Self.silence { isInLine = false }
        last = now
        return signals(of: bytes)
    }

    mutating func signals(of bytes: [UInt8]) -> [Signal] {
        guard hasShort || table.othersRelease else { return bytes.flatMap { longSignals(of: $0) } }
        var signals: [Signal] = []
        for (index, line) in bytes.split(
            omittingEmptySubsequences: false,
            whereSeparator: Self.lineEnds.contains
        )
        .enumerated() {
            if index > 0 {
                isInLine = false
                signals += longSignals(of: bytes[line.startIndex - 1])
            }
            let text = line.filter { !table.stripped.contains($0) }
            hasOthers = false
            signals += text.flatMap { longSignals(of: $0) }
            guard !text.isEmpty else { continue }
            let short = shortTokens(of: text)
            signals += short.flatMap(\.signals).filter { !isInLine && short.count == 1 || $0.isRelease }
            if signals.isEmpty, !short.isEmpty { signals = [.unknown("so short a text counts only alone")] }
            if hasOthers, short.isEmpty, table.othersRelease {
                signals += [.uncertain, .unknown("not a known text of this button")]
            }
            if short.isEmpty { isInLine = true }
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

    private mutating func longSignals(of byte: UInt8) -> [Signal] {
        guard !table.stripped.contains(byte) else { return [] }
        var signals: [Signal] = []
        if let known = digits {
            if isDigit(byte), known.count < Self.batteryDigits {
                digits = known + [byte]
                return []
            }
            signals += finish()
        }
        pending.append(byte)
        return signals + removeTokens()
    }

    /// Removes the token that ends with the newest byte, unless a longer one may still follow, and drops what
    /// can no longer become one.
    private mutating func removeTokens() -> [Signal] {
        while !pending.isEmpty {
            if let token = table.tokens.first(where: { !$0.isShort && $0.bytes == pending }) {
                pending = []
                if token.hasBattery { digits = [] }
                return token.signals
            }
            if table.tokens.contains(where: { !$0.isShort && $0.bytes.starts(with: pending) }) { return [] }
            pending.removeFirst()
            hasOthers = true
        }
        return []
    }

    /// The short tokens of which a text consists; none if it has anything else.
    private func shortTokens(of text: [UInt8]) -> [TokenTable.Token] {
        var found: [TokenTable.Token] = []
        var rest = text[...]
        while !rest.isEmpty {
            let fitting = table.tokens.filter { $0.isShort && rest.starts(with: $0.bytes) }
            guard let longest = fitting.max(by: { $0.bytes.count < $1.bytes.count }) else { return [] }
            found.append(longest)
            rest = rest.dropFirst(longest.bytes.count)
        }
        return found
    }
}

extension Signal {
    /// True if it can only end something.
    fileprivate var isRelease: Bool {
        switch self {
        case .up, .uncertain: true
        case .level(let down): down.isEmpty
        case .down, .tap, .arm, .fire, .alive, .battery, .unknown: false
        }
    }
}
