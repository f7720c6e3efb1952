import AccessoryCore
import Input
import PTTMessages

// The devices as `pttctl pair`, `learn` and `accessory explain` find them.
extension Headsets {
    /// The description of a device, by the identifier that it is listed with, or by its name.
    func description(of identifier: String) -> DeviceDescription? {
        let sorted = nodes.values.sorted { $0.sysname < $1.sysname }
        let found =
            sorted.first { owner(of: $0).origin.identifier == identifier }
            ?? sorted.first { [$0.name, owner(of: $0).origin.name].contains(identifier) }
        return found?.deviceDescription
    }

    /// An input device that can be learned.
    struct Accessory: Equatable {
        let node: InputNode
        /// The nodes that are read.
        let sources: [InputNode]
        /// The identity that it is enrolled by.
        let identity: DeviceIdentity
        let name: String
    }

    /// The devices with keys that a person can hold and choose among: joysticks, USB headsets, the sound
    /// interfaces of radios. Not jacks, whose key short-circuits the microphone.
    var withHeldKeys: [Accessory] {
        nodes.values.filter { $0.hasHeldKeys && $0.isReadable }
            .sorted { $0.sysname < $1.sysname }
            .compactMap { node in
                node.identity.map { accessory(node, $0, owner(of: node).origin) }
            }
    }

    /// The device with the identifier that it is listed with; for the keys of a Bluetooth device its address.
    /// Nil if there is no such device, it calls itself a keyboard, or it is a serial port.
    func accessory(_ identifier: String) -> Accessory? {
        for node in nodes.values.sorted(by: { $0.sysname < $1.sysname })
        where !node.isKeyboardLike && !node.isSerialPort {
            let origin = owner(of: node).origin
            let address = DeviceIdentity(bluetoothAddress: identifier)
            let identity =
                node.transport == .avrcp ? DeviceIdentity(bluetoothAddress: origin.identifier) : node.identity
            guard let identity, origin.identifier == identifier || identity == address else { continue }
            return accessory(node, identity, origin)
        }
        return nil
    }

    private func accessory(_ node: InputNode, _ identity: DeviceIdentity, _ origin: Origin) -> Accessory {
        let sources = node.sources(among: halves.values)
        return Accessory(node: node, sources: sources, identity: identity, name: origin.name)
    }
}

extension Headsets.Accessory {
    /// The entry that a person sees who has pressed a key.
    func discovery(_ key: KeyCode) -> AccessoryInterface.Discovery {
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
