/// Why a request was refused: `PTChannelError.Code` of Apple's framework, by name, and codes of ours.
package enum RefusalCode: String, WireEnum {
    case unknown
    case channelNotFound
    case channelLimitReached
    case callActive
    case transmissionInProgress
    case transmissionNotFound
    case appNotForeground
    case deviceManagementRestriction
    case screenTimeRestriction
    case transmissionNotAllowed
    /// Ours: no channel is joined, and no application records from the Push-to-Talk Microphone.
    case noRecorder
}

/// A refused request: a code for programs and a sentence for people.
package struct Refusal: Error, Equatable, Codable, Sendable, CustomStringConvertible {
    package let code: RefusalCode
    package let reason: String

    package init(_ code: RefusalCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { reason }
}
