import AccessoryCore
import EventLoop
import PTTMessages

/// A button and its radio. What it has and sends is in its accessory file.
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
    let stored: StoredDevice
    private var held: HeldButtons
    /// The time from the connection until its services are resolved.
    let resolveTime: Duration

    var radio = Radio.awake
    /// True if it also has a link of classic Bluetooth.
    var isDualMode = false
    let characteristics: [VirtualCharacteristic]
    /// True if it advertises its presses.
    let advertises: Bool
    /// The service data of BTHome that it has advertised last, with the number of the packet.
    private(set) var advertised: [UInt8]?
    private var packet: UInt8 = 0

    /// - Parameters:
    ///   - number: Its number in commands, 1 to 9.
    ///   - specification: Its accessory file and name.
    ///   - isKnown: Whether it was paired and trusted earlier.
    ///   - resolveTime: The time from the connection until its services are resolved.
    init(_ number: Int, _ specification: AccessorySpecification, isKnown: Bool, resolveTime: Duration) {
        self.number = number
        self.resolveTime = resolveTime
        let definition = specification.definition
        held = HeldButtons(definition)
        advertises = if case .advertisements = definition.input { true } else { false }
        stored = StoredDevice(
            name: specification.simulatedName,
            address: definition.match.addresses.first.map { Self.address(like: $0, number) }
                ?? Self.address(number),
            // BlueZ keeps nothing of a device that only advertises.
            isKnown: isKnown && !advertises
        )
        characteristics = VirtualCharacteristic.all(of: definition)
    }

    var definition: AccessoryDefinition { held.definition }

    /// The services by which its file recognises it.
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

    /// - Returns: What it sends now, in this order. Empty if it never reports the release.
    /// - Throws: If it has no such button.
    func set(_ role: ButtonRole, isPressed: Bool) throws(CommandError) -> [AccessoryExample.Step.Action] {
        try held.set(role, isPressed: isPressed)
    }

    /// - Parameter data: As its file gives it, in which the number of the packet is not the next one yet.
    func advertise(pressed data: [UInt8]) {
        packet &+= 1
        advertised = data
        advertised?[2] = packet
    }

    func advertise(raw data: [UInt8]) { advertised = data }

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

    /// The characteristics that the file mentions: inputs, what is written on connecting, the lamp and the
    /// battery.
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
