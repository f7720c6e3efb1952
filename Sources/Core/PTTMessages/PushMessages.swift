/// The messages of `org.pushtotalk.Push`; ``PushInterface/description`` says what each means.
package enum PushInterface {
    package static let name = "org.pushtotalk.Push"

    package static let send = InterfaceMethod<SendRequest, SendReply>("Send", of: name)

    package struct SendRequest: Equatable, Codable, Sendable {
        package let token: PushToken
        package let topic: String
        package let type: String
        package let priority: Int
        /// Seconds since 1970; 0 means now or never.
        package let expiration: Int
        /// A JSON object as text.
        package let payload: String

        package init(
            token: PushToken,
            topic: String,
            type: String,
            priority: Int,
            expiration: Int,
            payload: String
        ) {
            self.token = token
            self.topic = topic
            self.type = type
            self.priority = priority
            self.expiration = expiration
            self.payload = payload
        }
    }

    package struct SendReply: Equatable, Codable, Sendable {
        package let pushID: PushID

        package init(pushID: PushID) {
            self.pushID = pushID
        }
    }

    /// The error that carries a ``PushRejection``.
    package static let rejected = "org.pushtotalk.Push.Rejected"
}

/// Lets somebody send pushes to a channel, for as long as it is joined. Hexadecimal digits; the length varies.
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

/// What a push is for.
package enum PushKind: String, WireEnum {
    case unknown
    /// Answered with who talks, or with leaving the channel.
    case pushToTalk
    /// Data only; no audio follows.
    case serviceUpdate
}

/// A push on its way to the application. Only the application is told of it.
package struct Push: Equatable, Codable, Sendable {
    package let pushID: PushID
    package let kind: PushKind
    /// A JSON object as text.
    package let payload: String
    package let isHighPriority: Bool
    /// How many more service updates of high priority may come within the hour.
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

/// What became of a push.
package enum PushOutcome: String, WireEnum {
    case unknown
    /// The application answered, and its answer was carried out.
    case answered
    /// The application answered, and its answer could not be carried out.
    case failed
    /// The application took too long, or went.
    case unanswered
    /// There was no application to tell, and none that could be started.
    case undeliverable
}

/// Why a push was not accepted: the reasons of Apple's push service, by name.
package enum PushRejectionCode: String, WireEnum {
    case unknown
    /// No channel has this token.
    case badDeviceToken
    /// The token was that of a channel that was left, or of one that is not joined yet.
    case unregistered
    case deviceTokenNotForTopic
    case invalidPushType
    case badPriority
    case badExpirationDate
    case payloadTooLarge
    case badPayload
    case tooManyRequests
}

/// A push that was not accepted: a code for programs and a sentence for people.
package struct PushRejection: Error, Equatable, Codable, Sendable, CustomStringConvertible {
    package let code: PushRejectionCode
    package let reason: String

    package init(_ code: PushRejectionCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { reason }
}
