import AccessoryCore
import EventLoop
import Input
import PTTMessages

/// The presses of all keys of one input device, by which a person shows which one is meant.
@EventLoop
final class KeyPresses {
    let accessory: Headsets.Accessory
    private var devices: [any KeySource] = []

    /// - Parameters:
    ///   - accessory: The device.
    ///   - pressed: Called for each press.
    ///   - failed: Called if it cannot be read, although it is there.
    /// - Throws: The errors of ``KeyDevice`` and ``SerialSwitch``.
    init(
        _ accessory: Headsets.Accessory,
        _ pressed: @escaping @EventLoop (AccessoryInterface.Discovery) -> Void,
        failed: @escaping @EventLoop (SystemError) -> Void
    ) throws(SystemError) {
        self.accessory = accessory
        for source in accessory.sources {
            let device = try source.keySource(Set(source.heldKeys)) { event in
                switch event {
                case .key(let key) where key.edge == .pressed && !key.isResynchronised:
                    pressed(accessory.discovery(key.key))
                case .failed(let error): failed(error)
                case .key, .jackChanged, .eventsLost, .grabbed, .grabRefused, .vanished: break
                }
            }
            devices.append(device)
        }
    }

    isolated deinit { for device in devices { device.close() } }
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
