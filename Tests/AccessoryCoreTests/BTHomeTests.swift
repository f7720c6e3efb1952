import PTTMessages
import Testing

@testable import AccessoryCore

/// https://bthome.io/format
@Suite struct BTHomeTests {
    private static let key = [UInt8](repeating: 7, count: BTHome.keySize)

    /// An encryption whose key is 7, that turns the bytes round, and proves each with its first byte.
    private static func decrypt(_ text: [UInt8], _ tag: [UInt8], _ nonce: [UInt8], _ key: [UInt8]) -> [UInt8]?
    {
        key == Self.key && tag.first == text.first ? Array(text.reversed()) : nil
    }

    private func read(_ data: [UInt8], key: [UInt8]? = nil) throws(BTHome.Failure) -> BTHome.Packet {
        try BTHome.packet(data, from: "B4:35:22:F5:3D:A4", key: key, decrypt: Self.decrypt)
    }

    @Test func `a press has its number, the charge, and the event of each button`() throws {
        #expect(
            try read([0x44, 0x00, 0x21, 0x01, 0x5E, 0x3A, 0x01])
                == BTHome.Packet(number: 0x21, battery: 94, events: [1])
        )
        #expect(
            try read([0x40, 0x3A, 0x00, 0x3A, 0x01, 0x3A, 0x03])
                == BTHome.Packet(number: nil, events: [0, 1, 3])
        )
    }

    @Test func `the measurements of sensors before a button are passed over`() throws {
        // Temperature, humidity, illuminance, voltage, and a door.
        let data: [UInt8] = [
            0x40, 0x00, 0x07, 0x02, 0xCA, 0x09, 0x03, 0xBF, 0x13, 0x05, 0x13, 0x8A, 0x14, 0x0C, 0x02, 0x0C,
            0x2D, 0x01,
            0x3A, 0x02,
        ]
        #expect(try read(data) == BTHome.Packet(number: 7, events: [2]))
    }

    @Test func `nothing is read after an object that is not known, or is cut off`() throws {
        #expect(try read([0x40, 0x00, 0x07, 0x39, 0x00, 0x3A, 0x01]).events == [])
        #expect(try read([0x40, 0x00, 0x07, 0x3A, 0x01, 0x3A]).events == [1])
        #expect(try read([0x40]).events == [])
    }

    @Test(arguments: [[], [0x20, 0x3A, 0x01], [0x60, 0x3A, 0x01], [0x42, 0x3A, 0x01], [0x45, 1, 2, 3]])
    func `another format is refused`(data: [UInt8]) {
        #expect(throws: BTHome.Failure.unknownFormat) {
            try read(data, key: data.first == 0x45 ? Self.key : nil)
        }
    }

    @Test func `an encrypted press has the counter as its number`() throws {
        // 3A 01, turned round; the counter is 443.
        let data: [UInt8] = [0x45, 0x01, 0x3A, 0xBB, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00]
        #expect(try read(data, key: Self.key) == BTHome.Packet(number: nil, counter: 443, events: [1]))
        #expect(throws: BTHome.Failure.keyNeeded) { try read(data) }
        #expect(throws: BTHome.Failure.wrongKey) { try read(data, key: [1]) }
    }

    @Test func `a press in plain text is refused where a key was agreed`() {
        #expect(throws: BTHome.Failure.notEncrypted) {
            try read([0x44, 0x00, 0x01, 0x3A, 0x01], key: Self.key)
        }
    }
}

@Suite struct AdvertisedPressTests {
    private var accessory = Accessory(
        AccessoryDefinition(
            identifier: "test",
            name: "Test",
            confidence: .verified,
            match: AccessoryMatch(services: [BTHome.service]),
            input: .advertisements(.bytes([BytePattern([1, 1], [.tap(.talk)])]))
        ),
        origin: Origin(kind: .bluetoothButton, identifier: "B4:35:22:F5:3D:A4", name: "Test")
    )
    private var now = MonotonicTime(nanoseconds: 0)

    init() {
        _ = accessory.handle(.stream(.opened), at: now)
        now = now + .seconds(1)
        _ = accessory.handle(.timerFired, at: now)
    }

    /// - Returns: True if it began or ended a transmission.
    private mutating func press(_ number: UInt8?, counter: UInt32? = nil, after delay: Duration = .seconds(1))
        -> Bool
    {
        now = now + delay
        var hasChanged = false
        let packet = BTHome.Packet(number: number, counter: counter, events: [1])
        for effect in accessory.handle(.stream(.advertised(packet)), at: now) {
            switch effect {
            case .begin(let attempt, _):
                hasChanged = true
                _ = accessory.handle(.began(TransmissionID(rawValue: attempt.rawValue), attempt), at: now)
            case .end: hasChanged = true
            case .letGo, .latch, .report, .subscribe, .fence, .disconnect, .setTimer, .cancelTimer, .publish:
                break
            }
        }
        return hasChanged
    }

    @Test mutating func `a press begins, its repetitions do nothing, and the next one ends`() {
        #expect(press(255))
        #expect(!press(255, after: .milliseconds(100)))
        #expect(!press(255, after: .seconds(60)))
        #expect(press(0))
    }

    @Test mutating func `an earlier press that another adapter reports late does nothing`() {
        #expect(press(4))
        #expect(press(5))
        #expect(!press(4, after: .milliseconds(500)))
        // Its battery was changed: it counts from the begin.
        #expect(press(4, after: .seconds(30)))
    }

    @Test mutating func `an encrypted press that is sent again does nothing, however late`() {
        #expect(press(7, counter: 443))
        #expect(!press(7, counter: 443))
        #expect(!press(6, counter: 442, after: .seconds(3600)))
        #expect(press(8, counter: 500))
    }

    @Test mutating func `the counter of an encryption may begin at zero`() {
        #expect(press(1, counter: 0))
        #expect(press(2, counter: 1))
    }

    @Test mutating func `a repetition that is encrypted anew is a repetition`() {
        #expect(press(7, counter: 443))
        #expect(!press(7, counter: 444, after: .milliseconds(100)))
        #expect(press(8, counter: 445))
        #expect(press(nil, counter: 446))
    }

    @Test mutating func `a press without a number does nothing`() {
        #expect(!press(nil))
        #expect(press(1))
    }

    @Test mutating func `what is repeated of a press before it listened does nothing`() {
        _ = accessory.handle(.stream(.closed(.linkLost)), at: now)
        _ = accessory.handle(.stream(.opened), at: now)
        #expect(!press(9, after: .milliseconds(100)))
        #expect(!press(9))
        #expect(press(10))
    }

    @Test(arguments: [Accessory.StreamEvent.closed(.linkLost), .bluetoothLost])
    mutating func `a loss of the reception ends it`(loss: Accessory.StreamEvent) {
        #expect(press(1))
        let isEnded = accessory.handle(.stream(loss), at: now).contains { effect in
            if case .end(.linkLost, _) = effect { true } else { false }
        }
        #expect(isEnded)
    }
}
