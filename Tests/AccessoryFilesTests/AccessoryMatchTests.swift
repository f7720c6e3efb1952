import AccessoryCore
import AccessoryFiles
import PTTMessages
import Testing

@Suite struct AccessoryMatchTests {
    private static let ownService = "127face1-cb21-11e5-93d0-0002a5d5c51b"

    private func file(_ identifier: String, _ match: String) throws -> AccessoryDefinition {
        try AccessoryDefinition(
            toml:
                "name = '\(identifier)'\nconfidence = 'unverified'\n[match]\n\(match)\n\(AccessoryFileTests.bytes)",
            identifier: identifier
        )
    }

    private func keys(_ identifier: String, _ match: String) throws -> AccessoryDefinition {
        let input = "[[input]]\nkeys = { KEY_F13 = 'talk' }"
        return try AccessoryDefinition(
            toml: "name = '\(identifier)'\nconfidence = 'unverified'\n[match]\n\(match)\n\(input)",
            identifier: identifier
        )
    }

    private func button(_ name: String? = "PTT-Z01", services: [String] = ["ffe0"]) -> DeviceDescription {
        DeviceDescription(
            name: name,
            link: .bluetooth(
                address: "A4:C1:38:00:00:01",
                services: Set(services.compactMap { GattUUID($0) })
            )
        )
    }

    private func catalog(_ files: AccessoryDefinition...) -> AccessoryCatalog {
        AccessoryCatalog(files.map { AccessoryCatalog.Entry($0, path: "/\($0.identifier)", folder: 0) })
    }

    @Test func `the most specific file counts, whatever its name`() throws {
        let files = catalog(
            try file("a-name", "name = ['PTT*']"),
            try file("b-service", "service = ['ffe0']"),
            try file("c-own", "service = ['\(Self.ownService)']"),
            try file("d-both", "service = ['ffe0']\nname = ['*z01']"),
            try file("e-address", "address = ['a4:c1:38:*']"),
            try file("f-other", "service = ['ffe0']\nname = ['X']"),
            try file("g-own-name", "service = ['\(Self.ownService)']\nname = ['PTT*']"),
            try file("h-uart", "service = ['6e400001-b5a3-f393-e0a9-e50e24dcca9e']\nname = ['PTT*']")
        )
        let ranked = files.ranked(for: button(services: ["ffe0", Self.ownService.uppercased()]))
        #expect(
            ranked.map(\.identifier) == [
                "e-address", "g-own-name", "c-own", "d-both", "b-service", "a-name",
            ]
        )
        let uart = files.ranked(
            for: button(services: ["6e400001-b5a3-f393-e0a9-e50e24dcca9e", Self.ownService])
        )
        #expect(uart.map(\.identifier) == ["e-address", "g-own-name", "c-own", "h-uart", "a-name"])
    }

    @Test func `an excluded name is not matched, and no name excludes nothing`() throws {
        let files = catalog(try file("ffe0", "service = ['ffe0']\nnot-name = ['iTag*']"))
        #expect(files.ranked(for: button("ITAG  ")).isEmpty)
        #expect(files.ranked(for: button(nil)).map(\.identifier) == ["ffe0"])
    }

    @Test func `an input device needs the transport and one of the keys`() throws {
        let files = catalog(
            try keys("product", "product = ['046d:0a37']"),
            try keys("transport", "transport = ['usb', 'jack']"),
            try keys("name", "transport = ['usb']\nname = ['Pedal*']")
        )
        func device(_ transport: InputTransport, product: UInt16 = 1, keys: Set<UInt16> = [183])
            -> DeviceDescription
        {
            DeviceDescription(
                name: "Pedal 2",
                link: .input(transport, ProductID(vendor: 0x46D, product: product), keys: keys)
            )
        }
        #expect(
            files.ranked(for: device(.usb, product: 0xA37)).map(\.identifier) == [
                "product", "name", "transport",
            ]
        )
        #expect(files.ranked(for: device(.jack)).map(\.identifier) == ["transport"])
        #expect(files.ranked(for: device(.usb, keys: [164])).isEmpty)
        #expect(files.ranked(for: device(.avrcp)).isEmpty)
        #expect(files.ranked(for: button()).isEmpty)
    }

    @Test func `why a file does not match is said for each key`() throws {
        let definition = try file(
            "x",
            "service = ['fff0']\nname = ['HM*']\nnot-name = ['*Z01']\naddress = ['00:01:*']"
        )
        #expect(
            definition.matches(button()).reasons == [
                "the name is not HM*", "the name is *Z01, which the file excludes",
                "it does not have the service fff0", "the address is not 00:01:*",
            ]
        )
    }

    @Test func `a file of a later folder counts before one that matches equally well`() throws {
        let files = AccessoryCatalog([
            AccessoryCatalog.Entry(try file("a", "service = ['ffe0']"), path: "/a", folder: 0),
            AccessoryCatalog.Entry(try file("b", "service = ['ffe0']"), path: "/b", folder: 1),
        ])
        #expect(files.ranked(for: button()).map(\.identifier) == ["b", "a"])
    }

    @Test func `a name suggests a file, which excludes others`() throws {
        let files = catalog(try file("ffe0", "service = ['ffe0']\nnot-name = ['PTT-X']\nhint = ['PTT-*']"))
        #expect(files.hinted(byName: "ptt-z01")?.identifier == "ffe0")
        #expect(files.hinted(byName: "PTT-X") == nil)
        #expect(files.hinted(byName: "PTT") == nil)
    }
}
