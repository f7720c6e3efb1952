import AccessoryCore
import AccessoryFiles
import PTTMessages
import TestSupport
import Testing

@Suite struct ShippedFileTests {
    @Test func `every file is valid, has a name of its own, its source and a recording`() throws {
        let files = try ShippedAccessories.all()
        #expect(files.count >= 6)
        #expect(Set(files.map(\.name)).count == files.count)
        for file in files {
            let hasSource = !file.evidence.isEmpty || !file.captures.isEmpty
            #expect(hasSource || file.confidence == .unverified, "\(file.identifier)")
            #expect(!file.examples.isEmpty, "\(file.identifier)")
        }
    }

    @Test func `the frames of a simulated press and release are what the decoder reads`() throws {
        for file in try ShippedAccessories.all() {
            for role in file.roles {
                let frames = file.frames(pressing: role)
                #expect(!frames.isEmpty, "\(file.identifier) cannot press \(role.fileText)")
                #expect(
                    file.frames(releasing: role).isEmpty == file.isTapOnly(role)
                        || file.frames(releasing: role) != frames,
                    "\(file.identifier) \(role.fileText)"
                )
            }
        }
    }

    @Test func `what learning finds out of an accessory is read from a file as it was written`() throws {
        for file in try ShippedAccessories.all() {
            let read = try AccessoryDefinition(toml: file.fileText, identifier: file.identifier)
            #expect(read.name == file.name)
            #expect(read.confidence == .learned)
            #expect(read.match.services == file.match.services, "\(file.identifier)")
            #expect(read.match.names == file.match.names, "\(file.identifier)")
            #expect(read.match.addresses == file.match.addresses, "\(file.identifier)")
            #expect(read.match.products == file.match.products, "\(file.identifier)")
            #expect(read.match.transports == file.match.transports, "\(file.identifier)")
            #expect(read.input == file.input, "\(file.identifier)")
            #expect(read.gesture == file.gesture, "\(file.identifier)")
            #expect(read.examples == file.examples, "\(file.identifier)")
        }
    }

    /// A device has two of the services of the files as well, `ffe0` beside its own; there the files' order
    /// counts.
    @Test func `no two files match one device equally well`() throws {
        let files = try ShippedAccessories.all()
        for (index, file) in files.enumerated() {
            for other in files[..<index] {
                #expect(!Self.canTie(file, other), "\(file.identifier) and \(other.identifier)")
            }
        }
    }

    /// True if a device with one of the services, names, products and keys of both files can match both
    /// equally well.
    private static func canTie(_ first: AccessoryDefinition, _ second: AccessoryDefinition) -> Bool {
        func shared<Value: Hashable>(_ values: [Value], _ others: [Value]) -> [Value?] {
            if values.isEmpty || others.isEmpty { return (values + others).map { $0 } + [nil] }
            return values.filter { others.contains($0) }
        }
        let names = (first.match.names + second.match.names).map { $0.replacing("*", with: "") } + ["Any"]
        let (left, right) = (first.match, second.match)
        for name in names {
            for service in shared(left.services, right.services) {
                let address = (left.addresses + right.addresses).first ?? "A4:C1:38:00:00:01"
                let button = DeviceDescription(
                    name: name,
                    link: .bluetooth(address: address, services: service.map { [$0] } ?? [])
                )
                if isTie(first, second, button) { return true }
            }
            guard case .keys(let keys) = first.input, case .keys(let others) = second.input else { continue }
            let codes = Set(keys.meanings.keys).intersection(others.meanings.keys)
            guard !codes.isEmpty else { continue }
            for transport in InputTransport.allCases {
                for product in shared(left.products, right.products) {
                    let product = product ?? ProductID(vendor: 1, product: 1)
                    if isTie(
                        first,
                        second,
                        DeviceDescription(name: name, link: .input(transport, product, keys: codes))
                    ) {
                        return true
                    }
                }
            }
        }
        return false
    }

    private static func isTie(
        _ first: AccessoryDefinition,
        _ second: AccessoryDefinition,
        _ device: DeviceDescription
    ) -> Bool {
        guard let specificity = first.matches(device).specificity else { return false }
        return second.matches(device).specificity == specificity
    }
}
