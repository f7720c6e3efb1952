/// The members of a JSON object in the order in which they were written. No key is there twice; keys are compared by
/// their UTF-8 bytes.
///
/// Looking up is linear: protocol messages have few members, and a hash table costs more than it saves.
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
            precondition(index(of: key, from: 0) == nil, "A key is there twice")
            append(key, value)
        }
    }

    package var isEmpty: Bool { members.isEmpty }

    /// Reading gives nil for a missing member. Writing replaces or appends; writing nil removes.
    package subscript(key: String) -> JSON? {
        get { index(of: key, from: 0).map { members[$0].value } }
        set {
            switch (index(of: key, from: 0), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Looks at `hint` and onwards first: who reads the members in their order finds each at once.
    func index(of key: String, from hint: Int) -> Int? {
        var index = hint
        for _ in members.indices {
            if index >= members.count { index = 0 }
            if members[index].key.hasSameBytes(as: key) { return index }
            index += 1
        }
        return nil
    }

    /// For those who know that the key is new.
    mutating func append(_ key: String, _ value: JSON) {
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
    /// Traps on a key that is there twice.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(uniqueMembers: elements)
    }
}
