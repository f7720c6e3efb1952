import AccessoryCore
import EventLoop
import Input
import PTTMessages

/// The presses of all keys of one input device, by which a person shows which one is meant.
@EventLoop
final class KeyPresses {
    let accessory: Headsets.Accessory
    private let device: KeyDevice

    /// - Parameters:
    ///   - accessory: The device.
    ///   - pressed: Called for each press.
    /// - Throws: The errors of ``KeyDevice``.
    init(
        _ accessory: Headsets.Accessory,
        _ pressed: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void
    ) throws(SystemError) {
        self.accessory = accessory
        device = try KeyDevice(accessory.source, keys: Set(accessory.source.keys.keys)) { event in
            guard case .key(let key) = event, key.edge == .pressed, !key.isResynchronised else { return }
            pressed(accessory.discovery(key.key))
        }
    }
}

extension Headsets.Accessory {
    fileprivate func discovery(_ key: KeyCode) -> AccessoryInterface.Discovery {
        AccessoryInterface.Discovery(
            address: identity.text,
            name: name,
            rssi: nil,
            profile: nil,
            isPaired: false,
            key: key.description
        )
    }
}
