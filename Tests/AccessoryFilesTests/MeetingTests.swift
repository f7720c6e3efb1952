import AccessoryCore
import TestSupport
import Testing

/// Devices that several shipped files are about: which of them counts.
@Suite struct MeetingTests {
    private static let uart = "6e400001-b5a3-f393-e0a9-e50e24dcca9e"
    private static let aina = "127face1-cb21-11e5-93d0-0002a5d5c51b"
    private static let coda = "41df72e4-9721-41bd-b27f-f507a94d9634"
    private static let tidradio = "89a8591d-bb19-485b-9f59-58492bc33e24"

    @Test(
        arguments: [
            ("APTT-012345", ["1101", aina], "aina"),
            ("APTT-012345", ["1101"], "aina-v1"),
            ("APTT-012345", ["1101", aina, uart, "fff0"], "aina"),
            ("B01PTT", ["1101"], "serial-b01"),
            ("B01PTT", ["6666"], "b01-ble"),
            ("B01PTT", ["6666", "1101"], "serial-b01"),
            ("B02PTT-FF01", ["1101"], "inrico-b02"),
            ("BBC micro:bit [PTT]", ["e95d9882-251d-470a-a062-fa1922dfa9a8", uart], "microbit"),
            ("BTH-PTT", ["28393551-5345-5209-fd67-45287c0bdac5", "1101"], "pryme-bth"),
            ("CC2650 SensorTag", ["ffe0"], "sensortag"),
            ("CODA S", ["1101"], "savox"),
            ("CODA S", ["1101", coda], "coda"),
            ("ELET-PTT60B02A", ["ff00", "fff0"], "elet"),
            ("iTAG", ["ffe0"], "itag"),
            ("KLEIN_PTT_BLE", ["8925d23d-03e4-4447-826c-418dadc7f483", "1101"], "bt401"),
            ("My PTT", [uart, "00001523-1212-efde-1523-785feabcd123"], "nordic-led-button"),
            ("My PTT", [uart], "nordic-uart"),
            ("My PTT", ["1101"], "serial-ptt"),
            ("PTT-Z01", ["ffe0"], "ffe0"),
            ("PTT-Z01", ["ffe0", "fff0", uart], "ffe0"),
            ("TID-MIC-Q2L-1", [tidradio, "ffe0", "ff00", "fff0", uart], "td-q2l"),
            ("V.ALRT", ["fffffff0-00f7-4000-b000-000000000000", "ffe0"], "v-alrt"),
            ("Zello Button", ["ffe0"], "zello-bits"),
        ]
    )
    func `the file of the protocol that is certain counts`(
        _ name: String,
        _ services: [String],
        _ winner: String
    )
        throws
    {
        let device = DeviceDescription(
            name: name,
            link: .bluetooth(
                address: "00:11:22:33:44:55",
                services: Set(services.compactMap { GattUUID($0) })
            )
        )
        #expect(try ShippedAccessories.catalog().ranked(for: device).first?.identifier == winner)
    }

    /// Whatever it is called: names are shared as well.
    @Test func `a service of its own outranks every file without one`() throws {
        let files = try ShippedAccessories.all()
        let own = files.filter { $0.match.names.isEmpty && $0.match.services.contains { $0.assigned == nil } }
        let shared = files.filter {
            !$0.match.services.isEmpty && $0.match.services.allSatisfy { $0.assigned != nil }
        }
        #expect(own.count > 5 && shared.count > 5)
        for file in own {
            for other in shared {
                let name = other.match.names.first?.replacing("*", with: "")
                let services = Set(file.match.services + other.match.services)
                let device = DeviceDescription(
                    name: name,
                    link: .bluetooth(address: "00:11:22:33:44:55", services: services)
                )
                let ranked = AccessoryCatalog([
                    AccessoryCatalog.Entry(other, path: "/other", folder: 1),
                    AccessoryCatalog.Entry(file, path: "/file", folder: 0),
                ]).ranked(for: device)
                #expect(ranked.first?.identifier == file.identifier, "\(other.identifier)")
            }
        }
    }
}
