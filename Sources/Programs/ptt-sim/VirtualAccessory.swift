import AccessoryCore
import DBus
import EventLoop
import PTTMessages

/// A button or a microphone, and its radio. What it has and sends is in its accessory file.
@EventLoop
protocol VirtualAccessory: AnyObject {
    /// In commands, 1 to 9.
    var number: Int { get }
    var stored: StoredDevice { get }
    var radio: Radio { get set }
    var definition: AccessoryDefinition { get }
    /// The buttons that are down.
    var held: Set<ButtonRole> { get set }

    /// Sends what its inputs report, in order; nothing for a release that it never reports.
    ///
    /// - Throws: If nothing receives it.
    func send(_ frames: [AccessoryExample.Step.Action], over adapter: SimulatedAdapter?)
        throws(SimulationError)

    /// Sends bytes that its file does not list.
    ///
    /// - Throws: If nothing receives them.
    func send(raw bytes: [UInt8], input: Int, over adapter: SimulatedAdapter?) throws(SimulationError)

    /// Returns true if a discovery with this filter reports it.
    func isReported(to filter: DiscoveryFilter) -> Bool

    /// Returns what bluetoothd has of it. `isFound`: a discovery has found it, and it is not a stored one.
    func peripheral(on adapter: SimulatedAdapter, isFound: Bool) throws(BusError) -> SimulatedPeripheral
}

extension VirtualAccessory {
    /// Presses or releases one of its buttons.
    ///
    /// - Throws: If it has no such button, or nothing receives what it sends.
    func set(_ role: ButtonRole, isPressed: Bool, over adapter: SimulatedAdapter?) throws(SimulationError) {
        guard definition.roles.contains(role) else {
            throw SimulationError(description: "\(definition.name) has no button \(role.fileText)")
        }
        held.remove(role)
        let others = held
        if isPressed {
            held.insert(role)
            try send(definition.frames(pressing: role, while: others), over: adapter)
        } else {
            let isReported = !definition.isTapOnly(role)
            try send(isReported ? definition.frames(releasing: role, while: others) : [], over: adapter)
        }
    }
}

enum Radio {
    /// Advertises, and accepts connections.
    case awake
    /// Silent to save power.
    case asleep
    /// Out of reach.
    case gone
}
