import AccessoryCore
import DBus
import Input

/// The link over which bluetoothd receives the keys of an input device.
enum InputLink: Equatable {
    /// It is none of bluetoothd's.
    case none
    case up(ObjectPath)
    case down(reason: String)
}

extension BlueZObjects {
    /// The link of a node. With `UserspaceHID=persist`, and always in bluetoothd 5.77 and 5.78, the node of a
    /// Low Energy device outlives its link, and a key that was down stays down.
    func link(of node: InputNode) -> InputLink {
        switch node.transport {
        case .jack, .usb, .other: return .none
        case .avrcp:
            // The node has neither the address nor the numbers of the headset, but its name, and the address
            // of the adapter.
            let owners = connectedDevices(named: node.remoteControlName, adapter: node.phys)
            guard let owner = owners.first else {
                return .down(reason: "bluetoothd knows no connected device of this name")
            }
            return owners.count == 1
                ? .up(owner) : .down(reason: "\(owners.count) connected devices have this name")
        case .bluetooth:
            // A device of uinput may have any bus, and no address.
            guard !node.uniq.isEmpty else { return .none }
            let known = paths(ofAddress: node.uniq)
            let own = known.filter { isOn($0, adapter: node.phys) }
            let device = own.first ?? known.first
            guard let device, devices[device].map({ $0.isConnected && isAdapterPowered(of: $0) }) == true
            else {
                return .down(reason: "it is not connected")
            }
            return .up(device)
        }
    }
}
