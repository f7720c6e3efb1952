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
package struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    package let code: RefusalCode
    package let text: Text

    package init(_ code: RefusalCode, _ text: Text) {
        self.code = code
        self.text = text
    }

    /// A reason in English, translated if a catalogue has it.
    package init(_ code: RefusalCode, _ reason: String) {
        self.init(code, Text(sent: [reason]))
    }

    /// In English.
    package var reason: String { text.english }

    package var description: String { reason }
}

extension Refusal: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, reason, pieces
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let reason = try fields.decode(String.self, forKey: .reason)
        let pieces = try fields.decodeIfPresent([String].self, forKey: .pieces)
        text = Text(sent: pieces.flatMap { $0.joined() == reason ? $0 : nil } ?? [reason])
        code = try fields.decode(RefusalCode.self, forKey: .code)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(code, forKey: .code)
        try fields.encode(reason, forKey: .reason)
        let pieces = text.pieces
        if pieces.count > 1 { try fields.encode(pieces, forKey: .pieces) }
    }
}
