import AccessoryCore
import DBus
import JSON
import PTTMessages

extension BlueZDevice {
    /// The origin of its presses.
    var origin: Origin { origin(named: nil) }

    /// `chosen` is the name that it was enrolled with.
    func origin(named chosen: String?) -> Origin {
        let name = chosen ?? (alias.isEmpty ? address : alias)
        return Origin(kind: .bluetoothButton, identifier: address, name: name.withBoundedMarks)
    }

    /// The description that is compared with the accessory files; `present` are the services that BlueZ has,
    /// beside the advertised ones.
    func description(with present: [GattUUID] = []) -> DeviceDescription {
        // bluetoothd 5.66 does not count the UUID of service data among those of the device.
        let advertised: [GattUUID] = advertised == nil ? [] : [BTHome.service]
        return DeviceDescription(
            name: name,
            link: .bluetooth(address: address, services: uuids.union(present).union(advertised))
        )
    }

    /// Of random addresses the two highest bits tell (Bluetooth Core Specification, volume 6, part B, 1.3.2).
    /// Once a device is bonded, bluetoothd has its identity address in place of a private one.
    var typeOfAddress: PTTMessages.AddressType {
        if addressType == "public" { return .public }
        guard addressType == "random", let first = UInt8(address.prefix(2), radix: 16) else {
            return .unknown
        }
        return switch first >> 6 {
        case 0b11: .randomStatic
        case 0b01: .privateResolvable
        // Of 10, which is reserved, no more is known than that nothing resolves it.
        default: .privateNonResolvable
        }
    }

    /// True if its address is one that it replaces every few minutes.
    var hasPrivateAddress: Bool {
        switch typeOfAddress {
        case .privateResolvable, .privateNonResolvable: true
        case .public, .randomStatic, .unknown: false
        }
    }

    /// True if it may also have a link of classic Bluetooth, for sound: `Disconnect` would end that as well.
    ///
    /// bluetoothd has one object for both links. Random addresses are those of Low Energy alone; services of
    /// classic Bluetooth have the short UUIDs from 1100 to 17ff (Assigned Numbers, 3.3).
    var mayHaveClassicLink: Bool {
        guard addressType != "random" else { return false }
        return deviceClass != nil
            || uuids.contains { $0.assigned.map { (0x1100...0x17FF).contains($0) } ?? false }
    }
}

extension BlueZObjects {
    /// The accessory files for GATT that match the advertised and the present services of a device, the best
    /// first.
    func profiles(of path: ObjectPath, in catalog: AccessoryCatalog) -> [AccessoryDefinition] {
        guard let device = devices[path] else { return [] }
        let present = gattObjects(below: path).map(\.uuid)
        let matching = catalog.ranked(for: device.description(with: present)).filter {
            !$0.attributes.isEmpty
        }
        // A device may have the service without the profile's characteristic.
        let complete = matching.filter { hasCharacteristic(of: path, matching: $0) }
        return complete + matching.filter { !complete.contains($0) }
    }

    /// The best match of a device, if that is a file for advertisements.
    func advertisingProfile(of device: BlueZDevice, in catalog: AccessoryCatalog) -> AccessoryDefinition? {
        guard let best = catalog.ranked(for: device.description()).first, case .advertisements = best.input
        else { return nil }
        return best
    }

    func hasCharacteristic(of device: ObjectPath, matching profile: AccessoryDefinition) -> Bool {
        profile.attributes.contains { characteristic(of: device, matching: $0) != nil }
    }

    /// With several services or characteristics of one UUID the first, by their handles.
    func characteristic(of device: ObjectPath, matching attribute: GattAttribute) -> ObjectPath? {
        for service in gattObjects(below: device) where service.uuid == attribute.service {
            let found = gattObjects(below: service.path).first { $0.uuid == attribute.characteristic }
            if let found { return found.path }
        }
        return nil
    }
}
