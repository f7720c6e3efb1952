/// Why a push was not accepted: the reasons of Apple's push service, by name.
package enum PushRejectionCode: String, WireEnum {
    case unknown
    /// No channel has this token.
    case badDeviceToken
    /// The token belongs to a channel that was left, or is not joined yet.
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
