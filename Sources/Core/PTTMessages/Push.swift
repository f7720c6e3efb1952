/// Authorises its bearer to send pushes to a channel while it is joined. Hexadecimal digits, of varying
/// length.
package struct PushToken: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static func == (left: PushToken, right: PushToken) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    package func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// Numbers the pushes of one run of the core, from 1.
package struct PushID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// The purpose of a push.
package enum PushKind: String, WireEnum {
    case unknown
    /// The application replies with the participant who talks, or by leaving the channel.
    case pushToTalk
    /// Data only; no audio follows.
    case serviceUpdate
}

/// A push on its way to the application, which alone receives it.
package struct Push: Equatable, Codable, Sendable {
    package let pushID: PushID
    package let kind: PushKind
    /// A JSON object as text.
    package let payload: String
    package let isHighPriority: Bool
    /// The number of further service updates of high priority that will be accepted within the hour.
    package let remainingHighPriorityBudget: Int

    package init(
        pushID: PushID,
        kind: PushKind,
        payload: String,
        isHighPriority: Bool,
        remainingHighPriorityBudget: Int
    ) {
        self.pushID = pushID
        self.kind = kind
        self.payload = payload
        self.isHighPriority = isHighPriority
        self.remainingHighPriorityBudget = remainingHighPriorityBudget
    }
}

/// The result of a push.
package enum PushOutcome: String, WireEnum {
    case unknown
    /// The application answered, and its answer was carried out.
    case answered
    /// The application answered, and its answer could not be carried out.
    case failed
    /// The application did not answer in time, or ended.
    case unanswered
    /// There was no application to notify, and none that could be started.
    case undeliverable
}
