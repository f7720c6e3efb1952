package import PTTMessages

/// A device whose presses a person has allowed to count, and what was chosen for it.
package struct Enrolment: Equatable, Sendable {
    /// The data that forgetting the device writes back: the bits of a `set-bits` write as they were before
    /// the first one.
    package struct Restoration: Equatable, Sendable {
        package let attribute: GattAttribute
        package let bits: [UInt8]

        package init(_ attribute: GattAttribute, bits: [UInt8]) {
            self.attribute = attribute
            self.bits = bits
        }
    }

    package var identity: DeviceIdentity
    /// The identifier of its accessory file; nil for the best match.
    package var accessory: String?
    /// Of an input device: the code of the one key that counts, `BTN_TRIGGER` of a joystick or `CTS` of a
    /// serial port for example. Nil for those of the accessory file.
    package var key: UInt16?
    /// A name in place of the device's own.
    package var name: String?
    /// Nil for the mode of the accessory file.
    package var mode: ButtonMode?
    /// The roles of buttons that differ from those in the accessory file.
    package var roles: [ButtonRole: ButtonRole]
    package var restorations: [Restoration]
    /// The key with which it encrypts what it advertises (``BTHome``); nil if it does not.
    package var bindKey: [UInt8]?

    package init(
        _ identity: DeviceIdentity,
        accessory: String? = nil,
        key: UInt16? = nil,
        name: String? = nil,
        mode: ButtonMode? = nil,
        roles: [ButtonRole: ButtonRole] = [:],
        restorations: [Restoration] = [],
        bindKey: [UInt8]? = nil
    ) {
        self.identity = identity
        self.accessory = accessory
        self.key = key
        self.name = name
        self.mode = mode
        self.roles = roles
        self.restorations = restorations
        self.bindKey = bindKey
    }
}

extension Enrolment {
    /// Reads ``bindKey`` from 32 hexadecimal digits; nil for anything else.
    package static func bindKey(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 2 * BTHome.keySize else { return nil }
        return [UInt8](hexadecimal: text)
    }

    package var bindKeyText: String? {
        bindKey?.map { String(hexadecimal: UInt64($0), digits: 2) }.joined()
    }

    /// The lines of a serial port. The kernel has no codes for them: theirs are above those of its keys
    /// (`KEY_MAX`).
    private static let lines = ["CTS", "DSR", "DCD", "RI"]
    private static let firstLine = 0x300

    /// The code of a key, `BTN_TRIGGER` for example, or of a line.
    package static func keyCode(of name: String) -> UInt16? {
        lines.firstIndex(of: name).map { UInt16(firstLine + $0) } ?? KeyName.code(of: name)
    }

    /// The name of a key or a line.
    package static func keyName(of code: UInt16) -> String {
        let line = Int(code) - firstLine
        return lines.indices.contains(line) ? lines[line] : KeyName.name(of: code) ?? "\(code)"
    }
}

/// The text by which a device is recognised, across reboots: `bluetooth:` and the address, or the stable
/// identifier of an input device.
package struct DeviceIdentity: Hashable, Sendable, CustomStringConvertible {
    /// In bytes.
    package static let longest = 256

    package let text: String

    /// - Parameter text: The result is nil if it is empty, too long, or has a control character. Hexadecimal
    ///   digits of an address may be in upper or lower case.
    package init?(_ text: String) {
        let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard !text.isEmpty, text.utf8.count <= Self.longest, isPrintable else { return nil }
        guard text.hasPrefix(Self.bluetooth) else {
            self.text = text
            return
        }
        // The address, and the name of an input device where one follows.
        let start = text.index(text.startIndex, offsetBy: Self.bluetooth.count)
        let address = text[start...].prefix(17)
        self.text = Self.bluetooth + address.uppercased() + text[address.endIndex...]
    }

    /// A device of BlueZ: a button, a serial microphone, or the keys of a headset (AVRCP).
    package init(bluetoothAddress address: String) {
        text = Self.bluetooth + address.uppercased()
    }

    private static let bluetooth = "bluetooth:"

    /// The Bluetooth address, if it is one of a device of BlueZ.
    package var bluetoothAddress: String? {
        guard text.hasPrefix(Self.bluetooth) else { return nil }
        let rest = text.dropFirst(Self.bluetooth.count)
        return rest.utf8.count == 17 ? String(rest) : nil
    }

    package var description: String { text }
}
