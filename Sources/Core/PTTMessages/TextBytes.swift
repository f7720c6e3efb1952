// Identifiers that are text are compared by their UTF-8 bytes. `String` is compared by canonical equivalence
// (UAX #15): texts that differ on the socket would be equal, and a long text of a peer would be slow to
// compare.

extension String {
    /// Returns true if both are the same UTF-8.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in
            // Many names are compared with each message, and elementsEqual takes longer.
            right.withUTF8 { right in left.indices.allSatisfy { left[$0] == right[$0] } }
        }
    }

    /// The hash for ``hasSameBytes(as:)``.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
