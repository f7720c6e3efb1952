import AccessoryCore
import PTTMessages
import Testing

@Suite struct ProfileTests {
    @Test func `no two profiles claim the same characteristic of the same service`() {
        let claims = AccessoryProfile.all.map { [$0.service, $0.characteristic] }
        #expect(Set(claims).count == claims.count)
        #expect(Set(AccessoryProfile.all.map(\.name)).count == claims.count)
    }

    @Test(arguments: [
        ("FFE0", "0000ffe0-0000-1000-8000-00805f9b34fb", "0000ffe1-0000-1000-8000-00805f9b34fb"),
        ("AINA", "127face1-cb21-11e5-93d0-0002a5d5c51b", "127fbeef-cb21-11e5-93d0-0002a5d5c51b"),
        ("NordicLEDButton", "00001523-1212-efde-1523-785feabcd123", "00001524-1212-efde-1523-785feabcd123"),
    ])
    func `a profile has the service and characteristic of its buttons`(
        _ name: String,
        _ service: String,
        _ characteristic: String
    )
        throws
    {
        let profile = try #require(AccessoryProfile.all.first { $0.name == name })
        #expect(profile.service.text == service)
        #expect(profile.characteristic.text == characteristic)
    }

    @Test func `services match in any form, a specific one before a common one`() {
        let both = [
            "0000FFE0-0000-1000-8000-00805F9B34FB", "127face1-cb21-11e5-93d0-0002a5d5c51b", "nonsense",
        ]
        #expect(AccessoryProfile.matching(services: both).map(\.name) == ["AINA", "FFE0"])
        #expect(AccessoryProfile.matching(services: ["ffe0"]).map(\.name) == ["FFE0"])
        #expect(AccessoryProfile.matching(services: ["0000180f-0000-1000-8000-00805f9b34fb"]).isEmpty)
    }

    @Test func `a key finder, which never reports a release, is not used`() {
        #expect(AccessoryProfile.matching(services: ["ffe0"], name: "iTAG  ").isEmpty)
        #expect(AccessoryProfile.matching(services: ["ffe0"], name: "PTT-Z01").map(\.name) == ["FFE0"])
    }

    @Test func `a name hints at a profile`() {
        #expect(AccessoryProfile.hinted(byName: "PTT-Z01")?.name == "FFE0")
        #expect(AccessoryProfile.hinted(byName: "APTT-1234")?.name == "AINA")
        #expect(AccessoryProfile.hinted(byName: "Nordic_LBS")?.name == "NordicLEDButton")
        #expect(AccessoryProfile.hinted(byName: "PTT-Y") == nil)
        #expect(AccessoryProfile.hinted(byName: "") == nil)
    }

    @Test(arguments: [
        "", "ffe", "-fe0", "+fe0", "0000ffe0-0000-1000-8000-00805f9b34f", "g000", "ffe0ffe0f", "\u{00E9}fe0",
    ])
    func `text that is not a UUID is refused`(_ text: String) {
        #expect(GattUUID(text) == nil)
    }
}
