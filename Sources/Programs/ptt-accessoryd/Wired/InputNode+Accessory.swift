import AccessoryCore
import Input
import JSON
import PTTMessages

// What `udev/71-push-to-talk.rules` and `pttctl grant` say about a node, and how it is listed.
extension InputNode {
    /// The origin of its presses, with the name that a person has chosen, or else its own. Nil stands for the
    /// identifier of the input device.
    func origin(named chosen: String?, identifier: String? = nil) -> Origin {
        let own = transport == .avrcp ? remoteControlName : name
        return Origin(
            kind: originKind,
            identifier: identifier ?? stableIdentifier,
            name: chosen ?? (own.isEmpty ? sysname : own.withBoundedMarks)
        )
    }

    /// The identity that it is enrolled by, unless it is the remote control of a Bluetooth headset.
    var identity: DeviceIdentity? {
        transport == .bluetooth && !uniq.isEmpty
            ? DeviceIdentity(bluetoothAddress: uniq) : DeviceIdentity(stableIdentifier)
    }

    private var originKind: OriginKind {
        if properties[Self.keyProperty] != nil || isJoystick { return .inputDevice }
        return switch transport {
        case .jack, .usb: .wiredHeadset
        case .avrcp: .bluetoothHeadset
        case .bluetooth, .other: .inputDevice
        }
    }

    /// The kernel's sound core gives all its jacks one location (sound/core/jack.c). bluetoothd creates the
    /// device of a remote control on the bus of Bluetooth, and adds to its name (profiles/audio/avctp.c).
    /// Docks and dongles with a 3.5 mm jack are on that of USB: nothing tells them from a headset.
    var transport: InputTransport {
        if phys == "ALSA" { return .jack }
        switch id.bus {
        case ID.usb: return .usb
        case ID.bluetooth: return name.hasSuffix("(AVRCP)") ? .avrcp : .bluetooth
        // I²C, the platform, a radio receiver's own bus, …
        default: return .other
        }
    }

    /// Set by a rule of root, which no device can set for itself: the name of a key, or `serial` for a serial
    /// port.
    private static let keyProperty = "ID_PTT_KEY"

    /// The only key that may be read. Nil if none was granted, or one that does not exist.
    var grantedKey: KeyCode? { properties[Self.keyProperty].flatMap { KeyCode(name: $0) } }

    /// True if a rule of root marks it as an accessory, so that it is listed even if it cannot be used.
    private var isMarked: Bool { properties["ID_PTT_MARKED"] == "1" }

    /// The numbers of the product, also as `pttctl grant` accepts them.
    var product: ProductID { ProductID(vendor: id.vendor, product: id.product) }

    /// The use of a node with the tag.
    func use(_ catalog: AccessoryCatalog, _ consent: InputConsent) -> InputUse {
        if isSerialPort { return use(consent) }
        if let name = properties[Self.keyProperty] {
            guard let key = grantedKey else {
                return .unused(reason: "\(name) is granted, but there is no such key")
            }
            guard keys.contains(key) else { return .ignored }
            return consent.use(.granted(key.rawValue, as: files(in: catalog, consent.enrolment)))
        }
        if isKeyboardLike {
            guard isMarked else { return .ignored }
            return .unused(
                reason: "it calls itself a keyboard, which is never opened; for one key of a pedal: "
                    + "sudo pttctl grant \(product.text) KEY"
            )
        }
        if let key = consent.enrolment?.key.map({ KeyCode(rawValue: $0) }) {
            guard keys.contains(key) else { return .unused(reason: "it has no \(key)") }
            return consent.use(.granted(key.rawValue, as: files(in: catalog, consent.enrolment)))
        }
        if isJoystick, case .missing(let reason) = consent { return .unused(reason: reason) }
        guard let definition = files(in: catalog, consent.enrolment).first(where: { !$0.keys.isEmpty }) else {
            return isMarked ? .unused(reason: "no accessory file has one of its keys") : .ignored
        }
        if isBesideKeyboard, !isMarked { return .ignored }
        return consent.use(definition)
    }

    /// Of a serial port: it is opened for the line that a person has enrolled, and not otherwise, because
    /// that raises its outputs, and there are other devices with the same numbers.
    private func use(_ consent: InputConsent) -> InputUse {
        guard let key = consent.enrolment?.key.map({ KeyCode(rawValue: $0) }) else {
            if case .missing(let reason) = consent { return .unused(reason: reason) }
            return .unused(reason: "no line of it is enrolled: forget it, and pair it again")
        }
        guard SerialLine(key) != nil else { return .unused(reason: "it has no \(key)") }
        return consent.use(.granted(key.rawValue, as: []))
    }

    /// The files that may say what its keys do, the best first.
    private func files(in catalog: AccessoryCatalog, _ enrolment: Enrolment?) -> [AccessoryDefinition] {
        let chosen = enrolment?.accessory.flatMap { catalog[$0] }
        return (chosen.map { [$0] } ?? []) + catalog.ranked(for: deviceDescription)
    }

    /// The description that is compared with the accessory files.
    var deviceDescription: DeviceDescription {
        let codes = Set(heldKeys.map(\.rawValue))
        return DeviceDescription(name: name, link: .input(transport, product, keys: codes))
    }

    /// The keys that it can send; of a serial port its lines.
    var heldKeys: [KeyCode] { isSerialPort ? SerialLine.allCases.map(\.key) : keys.sorted() }

    /// False if plugging it in, or a rule of root, is consent enough. A remote control is not plugged in, and
    /// in-ear detection sends the same keys.
    var needsEnrolment: Bool {
        if isSerialPort { return true }
        guard properties[Self.keyProperty] == nil, !isMarked else { return false }
        // It was plugged in for games.
        if isJoystick { return true }
        return switch transport {
        case .jack, .usb: false
        case .avrcp, .bluetooth, .other: true
        }
    }

    /// True if any of its keys may be enrolled to be held.
    var hasHeldKeys: Bool {
        if isSerialPort { return true }
        guard !isKeyboardLike, properties[Self.keyProperty] == nil else { return false }
        guard !isJoystick else { return true }
        return switch transport {
        case .usb, .other: !isBesideKeyboard || isMarked
        case .jack, .avrcp, .bluetooth: false
        }
    }

    /// The nodes at which its keys arrive: itself, or the halves that ptt-keys has divided it in, that with
    /// the talk key first.
    func sources(among halves: some Collection<InputNode>) -> [InputNode] {
        let own = halves.filter { $0.half?.of == sysname }
        let ordered = own.filter { $0.half?.part == .few } + own.filter { $0.half?.part == .rest }
        return ordered.isEmpty ? [self] : ordered
    }

    /// The nodes at which these keys arrive: a granted or enrolled one may be in either half, and those of a
    /// file in both.
    func sources(of keys: Set<UInt16>, among halves: some Collection<InputNode>) -> [InputNode] {
        let sources = sources(among: halves).filter { source in
            keys.contains { source.keys.contains(KeyCode(rawValue: $0)) }
        }
        return sources.isEmpty ? [self] : sources
    }

    /// True if its keys come from bluetoothd.
    var isBluetooth: Bool { transport == .avrcp || transport == .bluetooth }

    /// The name that bluetoothd has given the device of a remote control, without what it adds
    /// (profiles/audio/avctp.c).
    var remoteControlName: String { String(name.dropLast(" (AVRCP)".count)) }
}

extension Origin {
    /// The entry in the list of a device that is not used.
    func unused(_ reason: String, profile: String? = nil, mode: ButtonMode) -> AccessoryDevice {
        AccessoryDevice(
            kind: kind,
            identifier: identifier,
            name: name,
            profile: profile,
            mode: mode,
            link: .unused,
            isPressed: false,
            remark: reason
        )
    }
}
