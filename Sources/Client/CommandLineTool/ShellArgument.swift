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
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_./:@%+-".utf8.contains(byte)
                }
            }
    }

    /// Within single quotes only these end the argument.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}
