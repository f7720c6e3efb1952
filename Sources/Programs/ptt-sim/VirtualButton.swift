import AccessoryCore
import EventLoop
import PTTMessages

/// A button: its radio, and what bluetoothd stores about it on disk. What it has and sends is in its accessory file.
@EventLoop
final class VirtualButton {
    enum Radio {
        /// Advertises, and accepts connections.
        case awake
        /// Silent to save power.
        case asleep
        /// Out of reach.
        case gone
    }

    let number: Int
    let definition: AccessoryDefinition
    let name: String
    let address: String
    /// The time from the connection until its services are resolved.
    let resolveTime: Duration

    var radio = Radio.awake
    let characteristics: [VirtualCharacteristic]
    private var held: Set<ButtonRole> = []

    var isPaired = false
    var isTrusted = false
    var alias: String

    /// bluetoothd forgets devices that are neither, after a while and when it exits.
    var isKept: Bool { isPaired || isTrusted }

    init(_ number: Int, _ specification: ButtonSpecification, resolveTime: Duration) {
        self.number = number
        self.resolveTime = resolveTime
        definition = specification.definition
        name = specification.name ?? definition.simulatedName
        alias = name
        address =
            definition.match.addresses.first.map { Self.address(like: $0, number) }
            ?? Self.address(number)
        characteristics = VirtualCharacteristic.all(of: definition)
    }

    /// Those by which its file recognises it.
    var advertisedServices: [String] { definition.match.services.map(\.text) }

    /// All that it has, in the order of its file.
    var services: [String] {
        var texts: [String] = []
        for text in characteristics.map(\.attribute.service.text) where !texts.contains(text) {
            texts.append(text)
        }
        return texts
    }

    /// A random static address: the two highest bits are set (Bluetooth Core, vol 6 part B, 1.3.2.1).
    static func address(_ number: Int) -> String { "F0:F1:F2:F3:F4:0\(number)" }

    func forget() {
        isPaired = false
        isTrusted = false
        alias = name
    }

    /// - Returns: What it sends now, in this order. Empty if it never reports the release.
    /// - Throws: If it has no such button.
    func setPressed(_ isPressed: Bool, _ role: ButtonRole) throws(CommandError) -> [AccessoryExample.Step
        .Action]
    {
        guard definition.roles.contains(role) else {
            throw CommandError(description: "\(definition.name) has no button \(role.fileText)")
        }
        held.remove(role)
        let others = held
        if isPressed { held.insert(role) }
        if isPressed { return definition.frames(pressing: role, while: others) }
        return definition.isTapOnly(role) ? [] : definition.frames(releasing: role, while: others)
    }

    private static func address(like pattern: String, _ number: Int) -> String {
        let groups = pattern.split(separator: ":").prefix { $0 != "*" }
        return (groups + ["F1", "F2", "F3", "F4", "F5", "0\(number)"].suffix(6 - groups.count)).joined(
            separator: ":"
        )
    }
}

/// A characteristic of a button.
@EventLoop
final class VirtualCharacteristic {
    let attribute: GattAttribute
    /// The number of the input in the file; nil if it is not an input.
    let input: Int?
    /// In BlueZ's notation.
    let flags: [String]
    /// The value for a read, and of the last write.
    var value: [UInt8]
    /// The value that is notified as soon as notifications are turned on.
    var valueOnSubscribe: [UInt8]?

    private init(_ attribute: GattAttribute, input: Int?, flags: [String], value: [UInt8]) {
        (self.attribute, self.input, self.flags, self.value) = (attribute, input, flags, value)
    }

    /// Those that the file mentions: inputs, what is written on connecting, the lamp and the battery.
    fileprivate static func all(of definition: AccessoryDefinition) -> [VirtualCharacteristic] {
        var result: [VirtualCharacteristic] = []
        if case .gatt(let inputs) = definition.input {
            for (number, input) in inputs.enumerated() {
                result.append(
                    VirtualCharacteristic(
                        input.attribute,
                        input: number,
                        flags: ["read", "notify"],
                        value: [0]
                    )
                )
            }
        }
        let written =
            definition.connection.writes.map(\.attribute) + (definition.led.map { [$0.attribute] } ?? [])
        let others =
            written.map { ($0, ["read", "write"]) }
            + (definition.battery.map { [($0, ["read", "notify"])] } ?? [])
        for (attribute, flags) in others where !result.contains(where: { $0.attribute == attribute }) {
            result.append(VirtualCharacteristic(attribute, input: nil, flags: flags, value: [0]))
        }
        return result
    }
}

extension AccessoryDefinition {
    /// A name by which its file recognises or suggests it.
    fileprivate var simulatedName: String {
        let patterns = match.names + match.hints + [name]
        let names = patterns.map { pattern in
            let text = String(pattern.drop { $0 == "*" })
            return text.last == "*" ? text.dropLast() + "01" : text
        }
        return names.first { !$0.isEmpty } ?? name
    }
}
