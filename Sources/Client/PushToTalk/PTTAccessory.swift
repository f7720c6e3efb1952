public import Foundation
import PTTMessages

/// Linux: a button of an accessory.
public struct PTTAccessory: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        case bluetoothButton
        case wiredHeadset
        case other
    }

    public let kind: Kind
    /// Names the accessory over its connections: the Bluetooth address, or where it is plugged in.
    public let identifier: String
    /// For people.
    public let name: String

    init(_ origin: Origin) {
        kind =
            switch origin.kind {
            case .bluetoothButton: .bluetoothButton
            case .wiredHeadset: .wiredHeadset
            case .application, .commandLine, .unknown: .other
            }
        identifier = origin.identifier
        name = origin.name
    }
}

/// Linux: told of the buttons of accessories while they do not begin and end transmissions, which is what
/// ``PTChannelManager/setAccessoryButtonEventsEnabled(_:channelUUID:completionHandler:)`` turns off.
///
/// A delegate of the manager that conforms to this hears them, and may let them mean what it likes. Within three seconds
/// after a press `requestBeginTransmitting` succeeds in the background, once. On iOS an application reads its accessories
/// by itself, with Core Bluetooth for example.
public protocol PTTAccessoryDelegate: NSObjectProtocol {
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryPressed accessory: PTTAccessory
    )

    /// Also told when the accessory, the channel or the core is lost while the button is held: whoever transmits for as
    /// long as it is pressed stops here.
    func channelManager(
        _ channelManager: PTChannelManager,
        channelUUID: UUID,
        pttAccessoryReleased accessory: PTTAccessory
    )
}
