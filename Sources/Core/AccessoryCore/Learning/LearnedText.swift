import PTTMessages

/// The bytes that surround a text without being a part of it.
enum TextPadding {
    private static let candidates: Set<UInt8> = [0x00, 0x0A, 0x0D]

    static func present(in values: [[UInt8]]) -> Set<UInt8> {
        Set(values.joined()).intersection(candidates)
    }

    static func isText(_ value: [UInt8]) -> Bool {
        value.allSatisfy { (0x20...0x7E).contains($0) || candidates.contains($0) }
    }

    static func text(_ value: [UInt8]) -> String {
        "\u{201C}\(String(decoding: value, as: UTF8.self))\u{201D}"
    }
}

extension [UInt8] {
    /// True if a press is always this value: nothing in it can be a charge or a number that counts.
    var isLasting: Bool { count == 1 || TextPadding.isText(self) && !hasDigit }

    /// Returns true if what it shares with another text has a digit.
    func hasDigit(besides other: [UInt8]) -> Bool {
        let start = zip(self, other).prefix { $0 == $1 }.count
        let end = zip(dropFirst(start).reversed(), other.dropFirst(start).reversed()).prefix { $0 == $1 }
            .count
        return (Array(prefix(start)) + suffix(end)).hasDigit
    }

    var hasDigit: Bool { contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
}

extension TokenTable {
    /// The texts of a press and its release.
    ///
    /// - Parameters:
    ///   - press: Without padding.
    ///   - release: Without padding, and another text.
    ///   - stripped: The padding.
    ///   - hasOthers: True if other texts were received as well. If none was, another one is taken for a
    ///     release that has changed, with the charge of the battery perhaps.
    /// - Throws: If the release may change and could not be told from those other texts.
    init(press: [UInt8], release: [UInt8], stripped: Set<UInt8>, hasOthers: Bool) throws(LearningFailure) {
        if hasOthers, press.hasDigit(besides: release) { throw .mayChange(press) }
        self.init(
            tokens: [
                Token(bytes: press, signals: [.down(.talk)]), Token(bytes: release, signals: [.up(.talk)]),
            ],
            stripped: stripped,
            othersRelease: !hasOthers
        )
    }
}

/// `KEY_MEDIA`, for people.
func keyText(_ code: UInt16) -> String { KeyName.name(of: code) ?? "key \(code)" }
