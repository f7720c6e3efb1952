// The printable part of a text from outside: the name of a device, a channel or a person, a reason, a path.

extension Unicode.Scalar {
    /// True if a terminal, a journal and an editor show it, and it alters nothing around it.
    ///
    /// Not of the categories control, format, line separator, paragraph separator, surrogate, private use and
    /// unassigned: a terminal obeys some of these, others reverse the order of the text that follows or
    /// cannot be seen (Unicode Technical Report 36, section 2.6). The two joiners are letters' parts in
    /// Persian, Indic scripts and emoji.
    package var isPrintable: Bool {
        if isASCII { return (0x20..<0x7F).contains(value) }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return self == "\u{200C}" || self == "\u{200D}"
        default: return true
        }
    }
}

extension String {
    /// True if all of it is printable.
    package var isPrintable: Bool { unicodeScalars.allSatisfy(\.isPrintable) }

    /// The text with `\u{1b}` for what is not printable: one line of text, and nothing else.
    package var escaped: String { escaped { "\\u{\(String($0.value, radix: 16))}" } }

    /// The text with something else for what is not printable.
    package func escaped(_ replacement: (Unicode.Scalar) -> String) -> String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isPrintable {
                text.append(scalar)
            } else {
                text.append(contentsOf: replacement(scalar).unicodeScalars)
            }
        }
        return String(text)
    }
}
