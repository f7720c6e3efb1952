import AccessoryCore
import DBus
import EventLoop
import PTTMessages

/// A button of Bluetooth Low Energy, with its characteristics or what it advertises.
@EventLoop
final class VirtualButton: VirtualAccessory {
    let number: Int
    let stored: StoredDevice
    let definition: AccessoryDefinition
    var held: Set<ButtonRole> = []
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

    /// `isKnown`: it was paired and trusted earlier.
    init(_ number: Int, _ specification: AccessorySpecification, isKnown: Bool, resolveTime: Duration) {
        self.number = number
        self.resolveTime = resolveTime
        definition = specification.definition
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

    func isReported(to filter: DiscoveryFilter) -> Bool {
        filter.transport != "bredr"
            && (filter.uuids.isEmpty || advertisedServices.contains(where: filter.uuids.contains))
    }

    func peripheral(on adapter: SimulatedAdapter, isFound: Bool) throws(BusError) -> SimulatedPeripheral {
        try SimulatedDevice(self, on: adapter, isFound: isFound)
    }

    func send(_ frames: [AccessoryExample.Step.Action], over adapter: SimulatedAdapter?)
        throws(SimulationError)
    {
        for case .advertise(var data) in frames {
            // Its file does not know which packet is the next one.
            packet &+= 1
            data[2] = packet
            return try send(raw: data, input: 0, over: adapter)
        }
        let device = adapter?.peripherals[number] as? SimulatedDevice
        var receivers = 0
        for case .notify(let bytes, let input) in frames {
            characteristics.first { $0.input == input }?.value = bytes
            if radio != .gone, device?.notify(bytes, input: input) == true { receivers += 1 }
        }
        guard receivers > 0 || frames.isEmpty else {
            throw SimulationError(
                description: "not notified: button \(number) is not connected, or has no subscriber"
            )
        }
    }

    func send(raw bytes: [UInt8], input: Int, over adapter: SimulatedAdapter?) throws(SimulationError) {
        guard advertises else { return try send([.notify(bytes, input: input)], over: adapter) }
        advertised = bytes
        guard adapter?.advertised(self) == true else {
            throw SimulationError(description: "not received: nothing listens for advertisements")
        }
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
    var value: [UInt8] = [0]
    /// The value that is notified as soon as notifications are turned on.
    var valueOnSubscribe: [UInt8]?

    private init(_ attribute: GattAttribute, input: Int?, flags: [String]) {
        (self.attribute, self.input, self.flags) = (attribute, input, flags)
    }

    /// The characteristics that the file mentions: inputs, what is written on connecting, the lamp and the
    /// battery.
    fileprivate static func all(of definition: AccessoryDefinition) -> [VirtualCharacteristic] {
        var result: [VirtualCharacteristic] = []
        if case .gatt(let inputs) = definition.input {
            result = inputs.enumerated().map { number, input in
                VirtualCharacteristic(input.attribute, input: number, flags: ["read", "notify"])
            }
        }
        let written =
            definition.connection.writes.map(\.attribute) + (definition.led.map { [$0.attribute] } ?? [])
        let others =
            written.map { ($0, ["read", "write"]) }
            + (definition.battery.map { [($0, ["read", "notify"])] } ?? [])
        for (attribute, flags) in others where !result.contains(where: { $0.attribute == attribute }) {
            result.append(VirtualCharacteristic(attribute, input: nil, flags: flags))
        }
        return result
    }
}
