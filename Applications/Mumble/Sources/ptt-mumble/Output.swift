import Foundation

/// Lines for the person who runs this program. Names come from strangers: what a terminal would obey is left
/// out.
enum Output {
    static func line(_ text: String) { write(text, to: .standardOutput) }

    static func error(_ text: String) { write("ptt-mumble: \(text)", to: .standardError) }

    /// - Returns: What of a text may be in a line.
    static func printable(_ text: String) -> String {
        let hidden: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        let shown = text.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) }
        return String(String.UnicodeScalarView(shown))
    }

    private static func write(_ text: String, to file: FileHandle) {
        // A line that cannot be written is no reason to end.
        try? file.write(contentsOf: Data("\(printable(text))\n".utf8))
    }
}
