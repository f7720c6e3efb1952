import AccessoryCore
import AccessoryFiles
import EventLoop
import Input
import PTTMessages

extension Accessories {
    /// Says which accessory file describes a device, and why the others do not. Nil if there is no such
    /// device. The identifier is that of the list, or a name.
    func explanation(of identifier: String) -> AccessoryInterface.ExplainReply? {
        if let device = headsets.description(of: identifier) { return reply(device, chosen: nil) }
        let objects = buttons.mirror.objects
        let devices = objects.devices.values
        let found =
            devices.first { $0.address == identifier.uppercased() }
            ?? devices.first { $0.name == identifier || $0.origin.name == identifier }
        guard let found else { return nil }
        let path = objects.device(address: found.address)
        let present = path.map { objects.gattObjects(below: $0).map(\.uuid) } ?? []
        return reply(
            found.description(with: present),
            of: found.typeOfAddress,
            chosen: buttons.enrolled[DeviceIdentity(bluetoothAddress: found.address)]?.accessory
        )
    }

    private func reply(
        _ device: DeviceDescription,
        of addressType: AddressType? = nil,
        chosen: String?
    ) -> AccessoryInterface.ExplainReply {
        let matches = buttons.files.catalog.explanations(for: device).map { explanation in
            AccessoryInterface.ExplainReply.FileMatch(
                accessory: explanation.entry.definition.identifier,
                path: explanation.entry.path,
                matches: explanation.result.specificity != nil,
                reasons: explanation.result.reasons
            )
        }
        let used = chosen ?? matches.first { $0.matches }?.accessory
        switch device.link {
        case .bluetooth(let address, let services):
            return AccessoryInterface.ExplainReply(
                name: device.name,
                address: address,
                addressType: addressType,
                services: services.sorted { $0.text < $1.text }.map(\.shortText),
                accessory: used,
                files: matches
            )
        case .input(let transport, let product, let keys):
            return AccessoryInterface.ExplainReply(
                name: device.name,
                transport: transport.rawValue,
                product: product.text,
                keys: keys.sorted().map { Enrolment.keyName(of: $0) },
                accessory: used,
                files: matches
            )
        }
    }
}
