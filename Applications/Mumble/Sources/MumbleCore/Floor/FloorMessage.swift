/// A message about the floor from one of our programs to another, which servers since 1.4 pass on. The kinds
/// have the numbers that they have in 3GPP TS 24.380.
struct FloorMessage: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case request = 0
        case granted = 1
        case denied = 3
    }

    static let identifier = "org.pushtotalk.floor"
    private static let version: UInt8 = 1
    private static let size = 10

    var kind: Kind
    /// Of the request that is answered.
    var sequence: UInt32
    /// Of a denial, who has the floor; otherwise 0.
    var holder: UInt32 = 0

    /// The version, the kind, and both numbers, big-endian.
    var data: [UInt8] {
        [Self.version, kind.rawValue]
            + [sequence, holder].flatMap { number in
                withUnsafeBytes(of: number.bigEndian) { Array($0) }
            }
    }
}

extension FloorMessage {
    /// Nil for what is not of this version, or of a kind that is not known.
    ///
    /// - Parameter data: From a stranger.
    init?(_ data: [UInt8]) {
        guard data.count == Self.size, data[0] == Self.version, let kind = Kind(rawValue: data[1]) else {
            return nil
        }
        let numbers = [data[2..<6], data[6..<10]].map { $0.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        self.init(kind: kind, sequence: numbers[0], holder: numbers[1])
    }
}
