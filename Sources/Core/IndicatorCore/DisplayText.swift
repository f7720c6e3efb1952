/// A text of a stranger, made fit for one line of a desktop: the names of channels and people, and reasons.
///
/// Control characters and line breaks become spaces, runs of spaces one; characters that are not seen are
/// removed, also those that reverse the order of what follows (Unicode Technical Report 36, section 2.6);
/// more marks above and below a letter than languages need, which cover the lines around, are removed; a long
/// text is cut. It has no markup: where a surface knows markup, that surface escapes it.
package struct DisplayText: Sendable {
    /// The longest name, in Unicode scalars; a cut one ends with an ellipsis within it.
    package static let limit = 64
    /// The longest sentence.
    package static let sentenceLimit = 160
    /// No more of a text is read.
    private static let readingLimit = 1024
    /// Marks on one letter. Vietnamese has two, Hebrew with cantillation three.
    private static let markLimit = 3

    package let text: String

    /// Empty if nothing of the text can be seen.
    package init(_ text: String, limit: Int = DisplayText.limit) {
        var kept = String.UnicodeScalarView()
        var count = 0
        var marks = 0
        var isSpaceDue = false
        var isCut = false
        for (index, scalar) in text.unicodeScalars.enumerated() {
            guard index < Self.readingLimit, count < limit else {
                isCut = true
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator:
                isSpaceDue = count > 0
                continue
            // The joiners join emoji to one picture, and letters of Persian and Indic scripts.
            case .format where scalar == "\u{200D}" || scalar == "\u{200C}",
                .nonspacingMark, .enclosingMark, .spacingMark:
                marks += 1
                if marks > Self.markLimit || count == 0 || isSpaceDue { continue }
            case .format, .surrogate, .privateUse, .unassigned: continue
            // Letters, digits, punctuation and symbols.
            default: marks = 0
            }
            if isSpaceDue {
                kept.append(" ")
                count += 1
                isSpaceDue = false
            }
            kept.append(scalar)
            count += 1
        }
        if isCut, count > 0 {
            while kept.count >= limit { kept.removeLast() }
            kept.append("…")
        }
        self.text = String(kept)
    }

    package var isEmpty: Bool { text.isEmpty }
}
