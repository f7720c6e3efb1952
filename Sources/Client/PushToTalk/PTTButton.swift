public import Foundation
import PTTMessages

/// Linux: what a button of an accessory is for.
public enum PTTButtonRole: Hashable, Sendable {
    /// The push-to-talk button.
    case talk
    /// The emergency button. Its press transmits also while a participant talks in half duplex, and ends a
    /// transmission of another button. Send it as the emergency call of your network.
    case emergency
    /// A second push-to-talk button: transmit to your second conversation.
    case secondTalk
    case channelUp
    case channelDown
    /// A button without a fixed meaning.
    case multifunction
    /// A button that this version of the library does not know.
    case other

    init(_ role: ButtonRole) {
        self =
            switch role {
            case .talk: .talk
            case .emergency: .emergency
            case .secondTalk: .secondTalk
            case .channelUp: .channelUp
            case .channelDown: .channelDown
            case .multifunction: .multifunction
            case .unknown: .other
            }
    }

    /// In a request.
    var requested: ButtonRole { ButtonRole.allCases.first { PTTButtonRole($0) == self } ?? .unknown }
}

/// Linux: receives the buttons of accessories that do not transmit, for example channel up and channel down.
///
/// The manager calls these methods if its delegate conforms to this protocol, whether or not the accessories'
/// talk buttons begin transmissions. A press does not allow the application to transmit in the background.
public protocol PTTButtonDelegate: NSObjectProtocol {
    /// The button was pressed; ``PTTAccessory/role`` says which one it is.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttButtonPressed accessory: PTTAccessory
    )

    /// The button was released, or the accessory, the channel or `pttd` was lost while it was held.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttButtonReleased accessory: PTTAccessory
    )
}
