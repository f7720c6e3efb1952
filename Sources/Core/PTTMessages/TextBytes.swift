// Identifiers that come as text are equal if their UTF-8 bytes are. `String` is compared by canonical equivalence
// (UAX #15), so that what differs on the socket would be the same here, and a peer's longest text would take its time.

extension String {
    /// Whether both are the same UTF-8.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (left, right) = (self, other)
        return left.withUTF8 { left in right.withUTF8 { left.elementsEqual($0) } }
    }

    /// What goes with ``hasSameBytes(as:)``.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}
