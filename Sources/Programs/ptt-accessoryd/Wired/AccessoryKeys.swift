import EventLoop
import Input

/// All keys of one input device, with which a person shows which one is meant, or what it sends.
@EventLoop
final class AccessoryKeys {
    let accessory: Headsets.Accessory
    private var devices: [any KeySource] = []

    /// - Throws: The errors of ``KeyDevice`` and ``SerialSwitch``.
    init(
        _ accessory: Headsets.Accessory,
        handler: @escaping @EventLoop (KeyDeviceEvent) -> Void
    ) throws(SystemError) {
        self.accessory = accessory
        for source in accessory.sources {
            devices.append(try source.keySource(Set(source.heldKeys), handler: handler))
        }
    }

    isolated deinit { for device in devices { device.close() } }
}
