/// A string as the key of a dictionary: the name of a property or an interface.
///
/// Compared by its bytes. Swift compares `String`s by canonical equivalence, which takes time quadratic in
/// the length of a run of combining marks, and a peer chooses that length.
package struct BusKey: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package var description: String { text }

    package static func == (left: BusKey, right: BusKey) -> Bool { areEqual(left.text, right.text) }

    package func hash(into hasher: inout Hasher) { combine(text, into: &hasher) }
}

private func areEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    var (left, right) = (left, right)
    return left.withUTF8 { left in
        // Many names are compared with each message, and elementsEqual takes longer.
        right.withUTF8 { right in left.indices.allSatisfy { left[$0] == right[$0] } }
    }
}

private func combine(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // Never a byte of UTF-8, so that consecutive texts stay separate.
    hasher.combine(UInt8.max)
}

extension BusValue: Hashable {
    package static func == (left: BusValue, right: BusValue) -> Bool {
        switch left {
        case .byte(let left): if case .byte(left) = right { true } else { false }
        case .boolean(let left): if case .boolean(left) = right { true } else { false }
        case .int16(let left): if case .int16(left) = right { true } else { false }
        case .uint16(let left): if case .uint16(left) = right { true } else { false }
        case .int32(let left): if case .int32(left) = right { true } else { false }
        case .uint32(let left): if case .uint32(left) = right { true } else { false }
        case .int64(let left): if case .int64(left) = right { true } else { false }
        case .uint64(let left): if case .uint64(left) = right { true } else { false }
        case .double(let left): if case .double(left) = right { true } else { false }
        case .string(let left): if case .string(let right) = right { areEqual(left, right) } else { false }
        case .objectPath(let left): if case .objectPath(left) = right { true } else { false }
        case .signature(let left): if case .signature(left) = right { true } else { false }
        case .descriptor(let left): if case .descriptor(left) = right { true } else { false }
        case .bytes(let left): if case .bytes(left) = right { true } else { false }
        case .array(let type, let left): if case .array(type, left) = right { true } else { false }
        case .dictionary(let keys, let values, let left):
            if case .dictionary(keys, values, left) = right { true } else { false }
        case .structure(let left): if case .structure(left) = right { true } else { false }
        case .variant(let left): if case .variant(left) = right { true } else { false }
        }
    }

    package func hash(into hasher: inout Hasher) {
        // The keys of a dictionary have one type, so that hashing the type would not distinguish them.
        switch self {
        case .byte(let number): hasher.combine(number)
        case .boolean(let flag): hasher.combine(flag)
        case .int16(let number): hasher.combine(number)
        case .uint16(let number): hasher.combine(number)
        case .int32(let number): hasher.combine(number)
        case .uint32(let number): hasher.combine(number)
        case .int64(let number): hasher.combine(number)
        case .uint64(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number)
        case .string(let text): combine(text, into: &hasher)
        case .objectPath(let path): hasher.combine(path)
        case .signature(let text): hasher.combine(text)
        case .descriptor(let descriptor): hasher.combine(descriptor)
        case .bytes(let bytes): hasher.combine(bytes)
        case .array(_, let elements): hasher.combine(elements)
        case .dictionary(_, _, let entries): hasher.combine(entries)
        case .structure(let members): hasher.combine(members)
        case .variant(let value): hasher.combine(value)
        }
    }
}
