/// An argument of a command that a person may copy into a shell. Names of devices and paths come from
/// elsewhere.
package struct ShellArgument: CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = Self.isPlain(text) ? text : "'" + Self.escaped(text) + "'"
    }

    /// Returns true if a shell reads it as it is.
    package static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.allSatisfy { character in
                character.isASCII && (character.isLetter || character.isNumber)
                    || "_./:@%+-".contains(character)
            }
    }

    /// Within single quotes only these end the argument.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}
