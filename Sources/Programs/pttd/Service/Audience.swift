/// Who is told what happens, and who of them first.
///
/// First who holds the transmission, or held the last one: a button's light waits for it. Then the applications, then
/// all others; among equals, who came first.
struct Audience<Identifier: Equatable, Listener> {
    enum Role: Int {
        case application = 1
        case other
    }

    private struct Member {
        let identifier: Identifier
        let listener: Listener
        let role: Role
        let processID: Int32
        let arrival: Int
    }

    /// Kept in the order in which they are told.
    private var members: [Member] = []
    private var arrivals = 0

    /// The process that holds the transmission, or held the last one. What one process asks for on one connection it
    /// mostly follows on another.
    var holder: Int32? {
        didSet { if holder != oldValue { sort() } }
    }

    var isEmpty: Bool { members.isEmpty }

    var inOrder: [Listener] { members.map(\.listener) }

    mutating func add(_ listener: Listener, _ identifier: Identifier, _ role: Role, processID: Int32) {
        arrivals += 1
        members.append(
            Member(
                identifier: identifier,
                listener: listener,
                role: role,
                processID: processID,
                arrival: arrivals
            )
        )
        sort()
    }

    mutating func remove(_ identifier: Identifier) {
        members.removeAll { $0.identifier == identifier }
    }

    private mutating func sort() {
        let holder = holder
        func place(_ member: Member) -> (rank: Int, arrival: Int) {
            (member.processID == holder ? 0 : member.role.rawValue, member.arrival)
        }
        members.sort { place($0) < place($1) }
    }
}
