import JSON
import PTTMessages

/// The subscribers, in the order in which an event is sent to them.
///
/// First the process that holds the transmission, or held the last one: a button's light waits for the event.
/// Then the applications, then all others; among equals, in the order of their arrival.
struct SubscriberList<Subscriber> {
    enum Role: Int {
        case application = 1
        case other
    }

    private struct Member {
        let subscriber: Subscriber
        let role: Role
        let processID: Int32
        let arrival: Int
        /// The kinds of events to receive; nil for all.
        let kinds: Set<String>?
    }

    /// Always sorted.
    private var members: [Member] = []
    private var arrivals = 0

    /// The process that holds the transmission, or held the last one. A process, since most use one
    /// connection for their calls and another for their subscription.
    var holder: Int32? {
        didSet { if holder != oldValue { sort() } }
    }

    var isEmpty: Bool { members.isEmpty }

    var inOrder: [Subscriber] { members.map(\.subscriber) }

    /// The subscribers that wish to receive the event, which is of this kind. A recording is no matter of the
    /// applications.
    func receivers(of event: CoreEvent, kind: String) -> [Subscriber] {
        let isOfRecording = event.isOfRecording
        return members.filter { member in
            (member.kinds?.contains(kind) ?? true) && !(isOfRecording && member.role == .application)
        }.map(\.subscriber)
    }

    /// - Returns: The number by which it is removed.
    mutating func add(_ subscriber: Subscriber, as role: Role, processID: Int32, kinds: [String]?) -> Int {
        arrivals += 1
        members.append(
            Member(
                subscriber: subscriber,
                role: role,
                processID: processID,
                arrival: arrivals,
                kinds: kinds.map(Set.init)
            )
        )
        sort()
        return arrivals
    }

    mutating func remove(_ arrival: Int) {
        members.removeAll { $0.arrival == arrival }
    }

    private mutating func sort() {
        let holder = holder
        func place(_ member: Member) -> (rank: Int, arrival: Int) {
            (member.processID == holder ? 0 : member.role.rawValue, member.arrival)
        }
        members.sort { place($0) < place($1) }
    }
}

extension JSONText {
    /// The kind of the event of an update, which is the first member of the second object. ``CoreEvent/kind``
    /// finds it by reflection, which takes longer.
    var eventKind: String {
        let object = bytes.dropFirst().firstIndex(of: UInt8(ascii: "{")) ?? bytes.endIndex
        let kind = bytes[object...].dropFirst(#"{"kind":""#.utf8.count)
        return String(decoding: kind.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    }
}
