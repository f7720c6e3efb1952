/// Text on a bus: a string, or the name of a property or an interface as the key of a dictionary.
///
/// Compared by its bytes. Swift compares `String`s by canonical equivalence, which takes time quadratic in
/// the length of a run of combining marks, and a peer chooses that length.
package struct BusKey: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package var description: String { text }

    package static func == (left: BusKey, right: BusKey) -> Bool {
        var (left, right) = (left.text, right.text)
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { left in
            // Many names are compared with each message, and elementsEqual takes longer.
            right.withUTF8 { right in left.indices.allSatisfy { left[$0] == right[$0] } }
        }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Never a byte of UTF-8, so that consecutive texts stay separate.
        hasher.combine(UInt8.max)
    }
}
