public import Foundation
import PTTMessages

/// Linux: a button of an accessory.
public struct PTTAccessory: Hashable, Sendable {
    /// The kind of an accessory. No case is added: an application's `switch` would no longer be exhaustive.
    public enum Kind: Hashable, Sendable {
        case bluetoothButton
        case wiredHeadset
        /// A Bluetooth headset's media keys, a Bluetooth serial microphone, a pedal, or what a later version
        /// knows.
        case other
    }

    public let kind: Kind
    /// Stays the same when the accessory reconnects: its Bluetooth address, or the place where it is plugged
    /// in.
    public let identifier: String
    /// A name for people.
    public let name: String
    /// The purpose of the button. An accessory may have several buttons.
    public let role: PTTButtonRole

    init(_ origin: Origin, _ role: ButtonRole) {
        kind =
            switch origin.kind {
            case .bluetoothButton: .bluetoothButton
            case .wiredHeadset: .wiredHeadset
            case .bluetoothHeadset, .serialMicrophone, .inputDevice, .application, .commandLine, .unknown:
                .other
            }
        identifier = origin.identifier
        name = origin.name
        self.role = PTTButtonRole(role)
    }
}

/// Linux: receives the buttons of accessories while they do not begin and end transmissions, after
/// ``PTChannelManager/setAccessoryButtonEventsEnabled(_:channelUUID:completionHandler:)`` with false.
///
/// The manager calls these methods if its delegate conforms to this protocol. Within three seconds after a
/// press, `requestBeginTransmitting` succeeds once in the background. On iOS an application reads its
/// accessories itself, with Core Bluetooth for example.
public protocol PTTAccessoryDelegate: NSObjectProtocol {
    /// The button was pressed, which did not begin a transmission.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryPressed accessory: PTTAccessory
    )

    /// The button was released, or the accessory, the channel or `pttd` was lost while it was held. An
    /// application that transmits while a button is held stops here.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryReleased accessory: PTTAccessory
    )
}
