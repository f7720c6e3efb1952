/// Text that is compared and hashed by its UTF-8 bytes.
///
/// `String` is compared by canonical equivalence (UAX #15), for which combining marks are sorted first: a
/// peer could send so many of them that a comparison takes long. Names and tokens of a protocol are bytes.
package struct UTF8Text: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: UTF8Text, right: UTF8Text) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        // Native strings have contiguous UTF-8; others do not exist without Foundation's bridging.
        precondition(isHashed != nil, "A string without contiguous UTF-8")
        hasher.combine(0xFF as UInt8)
    }
}

extension UTF8Text: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self.init(value) }
}

extension String {
    /// Returns true if the UTF-8 bytes are equal, as protocols compare names. `==` is canonical equivalence.
    @inline(__always)
    package func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && hasSameContent(as: other)
    }

    private func hasSameContent(as other: String) -> Bool {
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            // Many names are compared with each message, and elementsEqual takes longer.
            right.withUTF8 { right in left.indices.allSatisfy { left[$0] == right[$0] } }
        }
    }
}
