/// A text for people: written in English, and translated where it is shown.
///
///     Text("\(speaker) speaks")
///
/// The catalogues in `po` have it as `%1$s speaks`, in the notation of printf(3), so that gettext's programs
/// check them. `po/extract` finds the literals of this initialiser and of `localized(_:)`.
///
/// Two of them are equal if they read the same in English.
package struct Text: Equatable, Sendable, CustomStringConvertible {
    private let parts: [Part]

    /// A text of ours. Longer ones are several literals joined by `+`.
    package init(_ literal: Literal) {
        parts = literal.parts
    }

    /// The text of somebody else: a name, or what another program says. It stays as it is.
    package init(verbatim text: String) {
        parts = [.verbatim(text)]
    }

    /// A sentence that another program of ours has sent in English. It is translated if a catalogue has it.
    ///
    /// - Parameter pieces: As ``pieces`` gave them.
    package init(sent pieces: [String]) {
        parts = pieces.enumerated().compactMap { index, piece in
            index.isMultiple(of: 2) ? piece.isEmpty ? nil : .literal(piece) : .verbatim(piece)
        }
    }

    package var english: String { translated { $0 } }

    /// The English text in pieces: every second one, from the second on, is what was put in.
    package var pieces: [String] {
        var pieces = [""]
        for part in parts {
            let endsWithLiteral = !pieces.count.isMultiple(of: 2)
            switch part {
            case .literal(let text) where endsWithLiteral: pieces[pieces.count - 1] += text
            case .literal(let text): pieces.append(text)
            case .verbatim(let text): pieces += endsWithLiteral ? [text] : ["", text]
            case .text(let text): pieces += endsWithLiteral ? [text.english] : ["", text.english]
            }
        }
        return pieces
    }

    package static func == (left: Text, right: Text) -> Bool { left.english == right.english }

    /// For logs.
    package var description: String { english }

    /// - Parameter translation: Returns the text of a catalogue for the English one; it may change the order
    ///   of `%1$s` and the others.
    /// - Returns: The text with what is put into it.
    package func translated(by translation: (String) -> String) -> String {
        if case .verbatim(let text)? = parts.first, parts.count == 1 { return text }
        var format = ""
        var arguments: [String] = []
        for part in parts {
            switch part {
            case .literal(let text):
                format += text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
                continue
            case .verbatim(let text): arguments.append(text)
            case .text(let text): arguments.append(text.translated(by: translation))
            }
            format += "%\(arguments.count)$s"
        }
        // gettext has the header of the catalogue under the empty text.
        return format.isEmpty ? "" : Self.filled(translation(format), with: arguments)
    }

    /// A placeholder without an argument stays, so that a faulty catalogue is seen and does no harm.
    private static func filled(_ format: String, with arguments: [String]) -> String {
        var filled = ""
        var rest = format[...]
        while let percent = rest.firstIndex(of: "%") {
            filled += rest[..<percent]
            rest = rest[percent...].dropFirst()
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            if rest.first == "%" {
                filled += "%"
                rest = rest.dropFirst()
            } else if let number = Int(digits), arguments.indices.contains(number - 1),
                rest.dropFirst(digits.count).hasPrefix("$s")
            {
                filled += arguments[number - 1]
                rest = rest.dropFirst(digits.count + 2)
            } else {
                filled += "%"
            }
        }
        return filled + rest
    }

    fileprivate enum Part: Sendable {
        case literal(String)
        case verbatim(String)
        indirect case text(Text)
    }
}

extension Text {
    /// A literal of ``Text/init(_:)`` and what is put into it.
    package struct Literal: ExpressibleByStringInterpolation {
        fileprivate var parts: [Part]

        package init(stringLiteral text: String) {
            parts = text.isEmpty ? [] : [.literal(text)]
        }

        package init(stringInterpolation: StringInterpolation) {
            parts = stringInterpolation.parts
        }

        package static func + (left: Literal, right: Literal) -> Literal {
            var sum = left
            for part in right.parts { sum.parts.append(part) }
            return sum
        }

        package struct StringInterpolation: StringInterpolationProtocol {
            fileprivate var parts: [Part] = []

            package init(literalCapacity: Int, interpolationCount: Int) {}

            package mutating func appendLiteral(_ text: String) {
                if !text.isEmpty { parts.append(.literal(text)) }
            }

            /// A name or a command, which stays as it is.
            package mutating func appendInterpolation(_ text: String) { parts.append(.verbatim(text)) }

            package mutating func appendInterpolation(_ number: some BinaryInteger) {
                parts.append(.verbatim("\(number)"))
            }

            package mutating func appendInterpolation(_ text: Text) { parts.append(.text(text)) }
        }
    }
}
