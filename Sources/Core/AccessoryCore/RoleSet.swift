import PTTMessages

/// A set of roles in one byte: the path of a press allocates nothing for it.
struct RoleSet: Hashable, Sendable {
    private var bits: UInt8 = 0

    var isEmpty: Bool { bits == 0 }

    var count: Int { bits.nonzeroBitCount }

    func contains(_ role: ButtonRole) -> Bool { bits & Self.bit(of: role) != 0 }

    mutating func insert(_ role: ButtonRole) { bits |= Self.bit(of: role) }

    mutating func remove(_ role: ButtonRole) { bits &= ~Self.bit(of: role) }

    mutating func formUnion(_ other: RoleSet) { bits |= other.bits }

    mutating func subtract(_ other: RoleSet) { bits &= ~other.bits }

    /// By their bits.
    fileprivate static let roles = ButtonRole.allCases

    private static func bit(of role: ButtonRole) -> UInt8 {
        switch role {
        case .unknown: 0x01
        case .talk: 0x02
        case .emergency: 0x04
        case .secondTalk: 0x08
        case .channelUp: 0x10
        case .channelDown: 0x20
        case .multifunction: 0x40
        }
    }
}

extension RoleSet: Sequence {
    /// In the order of the declaration of ``ButtonRole``.
    func makeIterator() -> Iterator { Iterator(rest: bits) }

    struct Iterator: IteratorProtocol {
        fileprivate var rest: UInt8

        mutating func next() -> ButtonRole? {
            guard rest != 0 else { return nil }
            defer { rest &= rest - 1 }
            return RoleSet.roles[rest.trailingZeroBitCount]
        }
    }
}
