/// The width of text in a terminal.
enum TerminalText {
    private static let separator = "  │  "
    private static let ellipsis = "…"

    /// Characters of two columns (Unicode Standard Annex 11, wide and full-width), besides emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]

    /// Returns the number of columns that a terminal needs for a text without control characters.
    static func columns(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + columns($1) }
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default:
            if scalar.properties.isEmojiPresentation { return 2 }
            return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    /// One line of these parts, the most important first. The last one that begins within the width is cut to
    /// it.
    static func line(_ parts: [String], columns width: Int) -> String {
        var line = ""
        for part in parts where !part.isEmpty {
            let next = line.isEmpty ? part : line + separator + part
            guard columns(next) <= width else {
                return cut(next, columns: width)
            }
            line = next
        }
        return line
    }

    private static func cut(_ text: String, columns width: Int) -> String {
        guard width > 0 else { return "" }
        var kept = ""
        var used = 0
        for character in text {
            let next = columns(String(character))
            guard used + next < width else { break }
            kept.append(character)
            used += next
        }
        // A separator with nothing behind it.
        while let last = kept.last, last == " " || last == "│" { kept.removeLast() }
        return kept + ellipsis
    }
}
