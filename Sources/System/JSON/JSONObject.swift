/// The members of a JSON object, in their order in the text. Keys are unique, and compared by their UTF-8
/// bytes.
///
/// A lookup is linear: protocol messages have few members, and a hash table would cost more than it saves.
package struct JSONObject: Sendable {
    package struct Member: Sendable {
        package let key: String
        package var value: JSON
    }

    package private(set) var members: [Member]

    package init() { members = [] }

    init(uniqueMembers elements: [(String, JSON)]) {
        members = []
        members.reserveCapacity(elements.count)
        for (key, value) in elements {
            precondition(index(of: key, from: 0) == nil, "Duplicate key")
            append(key, value)
        }
    }

    package var isEmpty: Bool { members.isEmpty }

    /// Nil for a missing member. Setting replaces or appends a member; setting nil removes it.
    package subscript(key: String) -> JSON? {
        get { index(of: key, from: 0).map { members[$0].value } }
        set {
            switch (index(of: key, from: 0), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Searches from `hint` on: reading the members in their order finds each in one step.
    func index(of key: String, from hint: Int) -> Int? {
        var index = hint
        for _ in members.indices {
            if index >= members.count { index = 0 }
            if members[index].key.hasSameBytes(as: key) { return index }
            index += 1
        }
        return nil
    }

    /// The key must be new.
    mutating func append(_ key: String, _ value: JSON) {
        // Most objects have a few members: growing one by one would take three allocations.
        if members.isEmpty { members.reserveCapacity(4) }
        members.append(Member(key: key, value: value))
    }
}

extension JSONObject: Equatable {
    /// The order of members does not matter.
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        for (position, member) in left.members.enumerated() {
            guard let found = right.index(of: member.key, from: position),
                right.members[found].value == member.value
            else { return false }
        }
        return true
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Traps on a duplicate key.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(uniqueMembers: elements)
    }
}
