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

    @Test(arguments: AccessoryProfile.all.map(\.name))
    func `exactly the bytes with the talk button are a press`(_ name: String) throws {
        let profile = try #require(AccessoryProfile.all.first { $0.name == name })
        let presses = (UInt8.min ... .max).filter { byte in
            if case .level(isPressed: true, note: _) = profile.decoder.reading(of: [byte]) { return true }
            return false
        }
        switch profile.decoder {
        case .byteEquals: #expect(presses == [0x01])
        case .bitMask: #expect(presses == (UInt8.min ... .max).filter { $0 & 0x41 == 0x01 })
        }
    }

    @Test(arguments: AccessoryProfile.all.map(\.name))
    func `zeros are a release, and an empty value has no meaning`(_ name: String) throws {
        let profile = try #require(AccessoryProfile.all.first { $0.name == name })
        for length in 1...20 {
            let reading = profile.decoder.reading(of: Array(repeating: 0, count: length))
            #expect(reading == .level(isPressed: false, note: nil))
        }
        #expect(profile.decoder.reading(of: []) == .meaningless("empty"))
    }

    @Test func `the characters 1 and 0 are not a press`() {
        for reading in [UInt8(ascii: "1"), UInt8(ascii: "0")].map({
            AccessoryProfile.ffe0.decoder.reading(of: [$0])
        }) {
            #expect(reading == .meaningless("not a known value of this button"))
        }
    }

    @Test func `other buttons and the heartbeat of AINA are named`() {
        let decoder = AccessoryProfile.aina.decoder
        #expect(decoder.reading(of: [0x80]) == .level(isPressed: false, note: "heartbeat"))
        #expect(decoder.reading(of: [0x81]) == .level(isPressed: true, note: "heartbeat"))
        #expect(
            decoder.reading(of: [0x06]) == .level(isPressed: false, note: "emergency, second talk button")
        )
        #expect(decoder.reading(of: [0x03]) == .level(isPressed: true, note: "emergency"))
        #expect(decoder.reading(of: [0x41]) == .meaningless("not a known bit of this button"))
    }

    @Test func `a decoder accepts any bytes`() {
        var random = SystemRandomNumberGenerator()
        var readings = 0
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...40, using: &random)
            let value = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            readings += AccessoryProfile.readings(of: value).count
        }
        #expect(readings == 20_000 * AccessoryProfile.all.count)
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
