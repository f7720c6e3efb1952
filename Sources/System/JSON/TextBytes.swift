extension String {
    /// Returns true if the UTF-8 bytes are equal: names and tokens of a protocol are bytes.
    ///
    /// `==` is canonical equivalence (UAX #15), for which combining marks are sorted first: a peer could send
    /// so many of them that a comparison takes long.
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
