import AccessoryCore
import Input
import PTTMessages

// What `udev/71-push-to-talk.rules` and `pttctl grant` say about a node, and how it is listed.
extension InputNode {
    /// The origin of its presses.
    var origin: Origin {
        let name = name.isEmpty ? sysname : name.withBoundedMarks
        return Origin(kind: originKind, identifier: stableIdentifier, name: name)
    }

    private var originKind: OriginKind {
        if properties[Self.keyProperty] != nil { return .inputDevice }
        return switch transport {
        case .jack, .usb: .wiredHeadset
        case .avrcp: .bluetoothHeadset
        case .bluetooth, .other: .inputDevice
        }
    }

    /// The kernel marks the jack of a sound card (sound/core/jack.c); any other headset has its own firmware.
    var definition: AccessoryDefinition { transport == .jack ? .headsetPlug : .remoteHeadset }

    /// How an accessory file names its transport.
    var inputTransport: InputTransport {
        switch transport {
        case .jack: .jack
        case .usb: .usb
        case .avrcp: .avrcp
        case .bluetooth: .bluetooth
        case .other: .other
        }
    }

    /// Set by a rule of root, which no device can set for itself.
    private static let keyProperty = "ID_PTT_KEY"

    /// The only key that may be read. Nil if none was granted, or one that does not exist.
    var grantedKey: KeyCode? { properties[Self.keyProperty].flatMap { KeyCode(name: $0) } }

    /// Whether a person marked it as an accessory, so that it is listed even if it cannot be used.
    private var isMarked: Bool { properties["ID_PTT_MARKED"] == "1" }

    /// Whether and how a node with the tag is used.
    enum Use: Equatable {
        /// It has none of our keys: the jack of a loudspeaker, for example.
        case ignored
        case unused(reason: String)
        case used
    }

    /// - Parameter keys: The keys to talk with.
    /// - Returns: Whether the node is used with them.
    func use(of keys: some Sequence<KeyCode>) -> Use {
        if let name = properties[Self.keyProperty] {
            guard let key = grantedKey else {
                return .unused(reason: "\(name) is granted, but there is no such key")
            }
            return self.keys.contains(key) ? .used : .ignored
        }
        if isKeyboardLike {
            guard isMarked else { return .ignored }
            let numbers = [id.vendor, id.product].map { String($0, radix: 16) }
                .map { String(repeating: "0", count: 4 - $0.count) + $0 }
            return .unused(
                reason: "it calls itself a keyboard, which is never opened; for one key of a pedal: "
                    + "sudo pttctl grant \(numbers[0]):\(numbers[1]) KEY"
            )
        }
        guard keys.contains(where: { self.keys.contains($0) }) else {
            return isMarked ? .unused(reason: "it has no key to talk with") : .ignored
        }
        return isBesideKeyboard && !isMarked ? .ignored : .used
    }

    /// Its entry in the list when it cannot be used.
    func unused(_ reason: String) -> AccessoryDevice {
        AccessoryDevice(
            kind: origin.kind,
            identifier: origin.identifier,
            name: origin.name,
            profile: nil,
            mode: .toggle,
            link: .unused,
            isPressed: false,
            remark: reason
        )
    }
}
