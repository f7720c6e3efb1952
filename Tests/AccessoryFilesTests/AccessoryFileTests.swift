import AccessoryFiles
import EventLoop
import PTTMessages
import TOML
import TestSupport
import Testing

@testable import AccessoryCore

@Suite struct AccessoryFileTests {
    static let start = """
        name = "Button"
        confidence = "unverified"
        [match]
        service = ["ffe0"]

        """
    static let bytes = """
        [[input]]
        service = "ffe0"
        characteristic = "ffe1"
        bytes = { "01" = "talk down", "00" = "talk up" }

        """

    static func parse(_ text: String) throws(TOMLError) -> AccessoryDefinition {
        try AccessoryDefinition(toml: text, identifier: "button")
    }

    @Test func `a file is read to a definition`() throws {
        let text = """
            name = "AINA"
            confidence = "verified"
            evidence = ["https://example.org"]
            capture = ["https://example.org/capture"]
            [match]
            service = ["ffe0", "127FACE1-CB21-11E5-93D0-0002A5D5C51B"]
            name = ["ASB*"]
            not-name = ["iTag*"]
            address = ["a4:c1:38:*"]
            hint = ["PTT-Z*"]
            [connect]
            bond = "never"
            write = [
              { service = "ffe0", characteristic = "ffe2", value = "09 00" },
              { service = "ffe0", characteristic = "ffe3", set-bits = "30" },
            ]
            [[input]]
            service = "ffe0"
            characteristic = "ffe1"
            bits = { "01" = "talk", "02" = "emergency" }
            ignore = "80"
            [[input]]
            service = "ffe0"
            characteristic = "ffe4"
            tokens = { "C:SP*" = "arm multifunction", "C:SR*" = ["fire multifunction", "second-talk up"], "C:SOS*" = "second-talk down", "BAT" = "battery" }
            strip = "00 0d0a"
            [gesture]
            shortest-press = 0.01
            release-after = 60
            [led]
            service = "ffe0"
            characteristic = "ffe5"
            transmitting = "01"
            idle = "00"
            [battery]
            service = "ffe0"
            characteristic = "ffe6"
            [[example]]
            title = "press"
            steps = [{ send = "81", expect = ["begin talk"] }, { send = "B7", input = 2, after = 2.5, expect = [] }, { lose = true, expect = ["end talk"] }]
            """
        let definition = try Self.parse(text)
        func attribute(_ characteristic: UInt32) -> GattAttribute {
            GattAttribute(
                service: GattUUID(assigned: 0xFFE0),
                characteristic: GattUUID(assigned: characteristic)
            )
        }
        func token(_ text: String, _ signals: [Signal], hasBattery: Bool = false) -> TokenTable.Token {
            TokenTable.Token(bytes: Array(text.utf8), signals: signals, hasBattery: hasBattery)
        }
        let aina = try #require(GattUUID("127face1-cb21-11e5-93d0-0002a5d5c51b"))
        let expected = AccessoryDefinition(
            identifier: "button",
            name: "AINA",
            confidence: .verified,
            evidence: ["https://example.org"],
            captures: ["https://example.org/capture"],
            match: AccessoryMatch(
                services: [GattUUID(assigned: 0xFFE0), aina],
                names: ["ASB*"],
                excludedNames: ["iTag*"],
                addresses: ["A4:C1:38:*"],
                hints: ["PTT-Z*"]
            ),
            connection: ConnectionPolicy(
                bonding: .never,
                writes: [
                    ConnectionPolicy.Write(attribute: attribute(0xFFE2), change: .value([9, 0])),
                    ConnectionPolicy.Write(attribute: attribute(0xFFE3), change: .setBits([0x30])),
                ]
            ),
            input: .gatt([
                GattInput(
                    attribute: attribute(0xFFE1),
                    decoder: .bits(BitTable(roles: [1: .talk, 2: .emergency], ignored: 0x80))
                ),
                GattInput(
                    attribute: attribute(0xFFE4),
                    decoder: .tokens(
                        TokenTable(
                            tokens: [
                                token("BAT", [], hasBattery: true),
                                token("C:SOS*", [.down(.secondTalk)]),
                                token("C:SP*", [.arm(.multifunction)]),
                                token("C:SR*", [.fire(.multifunction), .up(.secondTalk)]),
                            ],
                            stripped: [0, 13, 10]
                        )
                    )
                ),
            ]),
            gesture: GestureSettings(shortestPress: .milliseconds(10), releaseAfter: .seconds(60)),
            led: LEDCharacteristic(attribute: attribute(0xFFE5), transmitting: [1], idle: [0]),
            battery: attribute(0xFFE6),
            examples: [
                AccessoryExample(
                    title: "press",
                    steps: [
                        .init(
                            action: .notify([0x81], input: 0),
                            delay: .seconds(1),
                            outcomes: [.begin(.talk)]
                        ),
                        .init(action: .notify([0xB7], input: 1), delay: .milliseconds(2500), outcomes: []),
                        .init(action: .lose, delay: .seconds(1), outcomes: [.end(.talk)]),
                    ]
                )
            ]
        )
        #expect(definition == expected)
    }

    @Test(
        arguments: [
            ("", "toggle"), ("[gesture]\nmode = \"hold\"", nil), ("[gesture]\nmode = \"toggle\"", "toggle"),
            ("[gesture]\nmode = \"latch\"", nil),
        ] as [(String, String?)]
    )
    func `a button that is only tapped toggles, and to hold or latch it is an error`(
        gesture: String,
        mode: String?
    ) {
        let text = """
            \(Self.start)[[input]]
            service = "ffe0"
            characteristic = "ffe1"
            bytes = { "01" = "talk tap" }
            \(gesture)
            """
        #expect((try? Self.parse(text).mode.rawValue) == mode)
    }

    @Test func `a value of zeros releases every button of its input`() throws {
        let text = """
            \(Self.start)[[input]]
            service = "ffe0"
            characteristic = "ffe1"
            bytes = { "01" = "talk down", "02" = "emergency down", "00" = "talk up", "03" = "emergency up" }
            """
        guard case .gatt(let inputs) = try Self.parse(text).input else { return #expect(Bool(false)) }
        #expect(inputs[0].decoder.signals(of: [0]) == [.level([])])
        #expect(inputs[0].decoder.signals(of: [0, 0, 0]) == [.level([])])
    }
}
