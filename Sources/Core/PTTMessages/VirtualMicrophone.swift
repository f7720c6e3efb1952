/// The Push-to-Talk Microphone: the source that call applications record from, and that is silent except
/// during a transmission without a channel.
package enum VirtualMicrophone: Equatable, Sendable {
    /// The configuration wants none.
    case off
    /// There is none, or not yet.
    ///
    /// - Parameter reason: For people.
    case unavailable(reason: String)
    /// No application records from it.
    case idle
    /// - Parameter by: The names of the applications that record from it, at most ``longestList``.
    case recorded(by: [String])

    /// The largest number of names of applications that are listed.
    package static let longestList = 16

    /// True if applications can record from it.
    package var isPresent: Bool {
        switch self {
        case .off, .unavailable: false
        case .idle, .recorded: true
        }
    }

    package enum State: String, WireEnum {
        case unknown
        case off
        case unavailable
        case idle
        case recorded
    }

    package var state: State {
        switch self {
        case .off: .off
        case .unavailable: .unavailable
        case .idle: .idle
        case .recorded: .recorded
        }
    }
}

/// Varlink has no unions: a state has only its own members.
extension VirtualMicrophone: Codable {
    private enum CodingKeys: CodingKey {
        case state, reason, applications
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self =
            switch try fields.decode(State.self, forKey: .state) {
            case .off: .off
            case .unavailable: .unavailable(reason: try fields.decode(String.self, forKey: .reason))
            case .idle: .idle
            case .recorded: .recorded(by: try fields.decode([String].self, forKey: .applications))
            case .unknown: .unavailable(reason: "its state is one of a newer pttd")
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(state, forKey: .state)
        switch self {
        case .off, .idle: break
        case .unavailable(let reason): try fields.encode(reason, forKey: .reason)
        case .recorded(let applications): try fields.encode(applications, forKey: .applications)
        }
    }
}
