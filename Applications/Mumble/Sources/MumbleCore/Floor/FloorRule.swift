/// How a channel has it decided who talks. A line of its description says so, which everybody who may edit
/// the channel can write, and which all clients are told.
public enum FloorRule: Hashable, Sendable {
    /// Who is heard first has the floor.
    case first
    /// One of our programs grants it, before anything is sent.
    case granted
    /// All who talk are heard, together.
    case fullDuplex

    private static let key = "push-to-talk:"
    private static let words: [(word: String, rule: FloorRule)] = [
        ("granted-floor", .granted), ("full-duplex", .fullDuplex),
    ]
    /// In bytes from the beginning of a description, which may have pictures.
    private static let reach = 4096

    /// For the person.
    public var text: String {
        switch self {
        case .first: "who is heard first has the floor"
        case .granted: "the floor is granted before anything is sent"
        case .fullDuplex: "full duplex, all who talk are heard"
        }
    }

    /// - Parameter description: Of the channel: a text, or HTML.
    init(description: String) {
        let text = description.cut(Self.reach).lowercased()
        let rest = text.firstRange(of: Self.key).map { text[$0.upperBound...].drop { $0 == " " } } ?? ""
        self = Self.words.first { rest.hasPrefix($0.word) }?.rule ?? .first
    }
}
