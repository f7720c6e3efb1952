/// The purpose of a button of an accessory, as its accessory file names it.
package enum ButtonRole: String, WireEnum {
    case unknown
    /// The push-to-talk button.
    case talk
    /// The emergency button, as a rule a red or an orange one.
    case emergency
    /// A second push-to-talk button, for a second conversation of the same application.
    case secondTalk
    case channelUp
    case channelDown
    /// A button without a fixed meaning: the application gives it one.
    case multifunction

    /// True if a press begins a transmission. The other buttons are reported to the application.
    package var transmits: Bool {
        switch self {
        case .talk, .emergency, .secondTalk: true
        case .unknown, .channelUp, .channelDown, .multifunction: false
        }
    }
}

// A role that is not optional is not written if it is `talk`: so most messages stay as short as they were
// without roles, and a message of an older peer is read as the press that it is. The compiler chooses these
// for the types of this module.

extension KeyedEncodingContainer {
    mutating func encode(_ role: ButtonRole, forKey key: Key) throws {
        try encodeIfPresent(role == .talk ? nil : role, forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode(_ type: ButtonRole.Type, forKey key: Key) throws -> ButtonRole {
        try decodeIfPresent(type, forKey: key) ?? .talk
    }
}
