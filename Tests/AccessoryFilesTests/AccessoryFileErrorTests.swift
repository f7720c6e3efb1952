import AccessoryCore
import Testing

@testable import TOML

/// The errors of a wrong file, as people read them. `§` is the place that the error must have.
@Suite struct AccessoryFileErrorTests {
    private static let start = AccessoryFileTests.start
    private static let bytes = AccessoryFileTests.bytes

    private static func gatt(_ keys: String) -> String {
        "\(start)[[input]]\nservice = 'ffe0'\ncharacteristic = 'ffe1'\n\(keys)\n"
    }

    private static func serial(_ keys: String) -> String { "\(start)[[input]]\nserial = '1101'\n\(keys)\n" }

    private static func keys(_ keys: String) -> String {
        "name = 'x'\nconfidence = 'unverified'\n[match]\ntransport = ['usb']\n[[input]]\nkeys = { \(keys) }\n"
    }

    private func expectError(_ marked: String, _ reason: String) throws {
        let before = marked.prefix { $0 != "§" }
        let text = marked.replacing("§", with: "")
        let error = #expect(throws: TOMLError.self) { try AccessoryFileTests.parse(text) }
        let found = try #require(error)
        #expect(found.reason == reason)
        guard before.count < marked.count else { return #expect(found.place == nil) }
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        let place = TOMLError.Place(line: lines.count, column: (lines.last?.count ?? 0) + 1)
        #expect(found.place == place)
    }

    @Test(arguments: [
        ("not TOML", gatt("bytes = { 01 §02 }"), "Error while parsing key-value pair: expected '=', saw '0'"),
        ("unknown key", "\(start)nmae = §'x'\n\(bytes)", "match.nmae is not known"),
        ("missing input", "\(start)", "input is missing"),
        (
            "wrong hexadecimal", gatt("bytes = { §'0g' = 'talk down' }"),
            "input[0].bytes: \"0g\" is not hexadecimal bytes: write them as \"09 0A\""
        ),
        (
            "zeros as a press", gatt("bytes = { §'00' = 'talk down', '01' = 'talk up' }"),
            "input[0].bytes: a value of zeros only is always a release: many buttons send it when they connect"
        ),
        (
            "one pattern twice", gatt("bytes = { '0A' = 'talk down', §'0a' = 'talk up' }"),
            "input[0].bytes: \"0a\" is listed twice"
        ),
        (
            "unknown role", gatt("bytes = { §'01' = 'talking down' }"),
            "input[0].bytes: \"talking\" is not a button: it is one of talk, emergency, second-talk, channel-up, "
                + "channel-down, multifunction"
        ),
        (
            "unknown meaning", gatt("bytes = { §'01' = 'talk' }"),
            "input[0].bytes: \"talk\" is not a meaning: write a button with down, up or tap, arm or fire with a button, "
                + "released, alive or battery"
        ),
        (
            "contradiction", gatt("bytes = { §'01' = ['talk down', 'talk up'] }"),
            "input[0].bytes: \"talk up\" contradicts \"talk down\""
        ),
        (
            "never up", "\(start)[[§input]]\nserial = '1101'\ntokens = { P = 'talk down' }",
            "input: talk goes down and never up: list its release, write tap, or set release-after"
        ),
        (
            "no press", "\(start)[[§input]]\nserial = '1101'\ntokens = { P = 'alive' }",
            "input: no value of the accessory is a press"
        ),
        (
            "hold with tap only", gatt("bytes = { '01' = 'talk tap' }\n[gesture]\n§mode = 'hold'"),
            "gesture.mode: talk never reports its release and cannot be held: write toggle"
        ),
        (
            "latch without a release",
            gatt("bytes = { '01' = 'talk down' }\n[gesture]\nrelease-after = 60\n§mode = 'latch'"),
            "gesture.mode: talk goes down and never up: a tap cannot be told from a hold, so it cannot latch"
        ),
        ("two bits", gatt("bits = { §'03' = 'talk' }"), "input[0].bits: \"03\" is not a single bit"),
        (
            "ignored bit", gatt("bits = { '80' = 'talk' }\n§ignore = 'c0'"),
            "input[0].ignore: \"c0\" has a bit that is a button"
        ),
        (
            "two decoders", gatt("").replacing("[[input]]", with: "§[[input]]"),
            "input[0]: an input has one of bytes, values, bits and tokens"
        ),
        ("empty token", serial("tokens = { §'' = 'talk tap' }"), "input[0].tokens: a token is empty"),
        (
            "prefix of another token", serial("tokens = { 'PTT' = 'talk down', §'PTTR' = 'talk up' }"),
            "input[0].tokens: \"PTTR\" begins with \"PTT\", which is found first"
        ),
        (
            "digits after a short token", serial("tokens = { 'B01' = 'talk tap', §'B' = 'battery' }"),
            "input[0].tokens: \"B\" is too short for digits to follow it"
        ),
        (
            "others without a meaning",
            serial("tokens = { 'PTT' = 'talk tap' }\n§others = 'talk tap'"),
            "input[0].others: \"talk tap\" is not known: write released"
        ),
        (
            "two patterns for one value",
            gatt("values = { '01 ??' = 'talk up', §'?? 01' = 'talk down' }"),
            "input[0].values: \"?? 01\" is listed twice"
        ),
        (
            "pattern of any value", gatt("values = { §'?? ??' = 'talk tap' }"),
            "input[0].values: \"?? ??\" is every value"
        ),
        (
            "stripped token", serial("tokens = { §\"P\\r\" = 'talk tap' }\nstrip = '0d'"),
            "input[0].tokens: \"P\\u{d}\" has a byte of strip and is never found"
        ),
        (
            "two transports",
            "\(bytes.replacing("[[input]]", with: "\(start)[[input]]"))§[[input]]\nserial = '1101'\n",
            "input[1]: all inputs of an accessory have one transport"
        ),
        (
            "two transports in one", "\(start)§[[input]]\nserial = '1101'\nkeys = {}",
            "input[0]: an input has either service and characteristic, or serial, or advertisement, or keys"
        ),
        (
            "unknown advertisement",
            "\(start)[[input]]\n§advertisement = 'ibeacon'\nbytes = { '01 01' = 'talk tap' }",
            "input[0].advertisement: \"ibeacon\" is not bthome"
        ),
        (
            "release that is advertised",
            "\(start)[[input]]\nadvertisement = 'bthome'\n§bytes = { '01 01' = 'talk down', '01 00' = 'talk up' }",
            "input[0].bytes: no release is advertised: a meaning is a tap"
        ),
        (
            "unknown key of a keyboard", keys("§KEY_TALK = 'talk'"),
            "input[0].keys: \"KEY_TALK\" is not a key: write its name in input-event-codes.h, as KEY_MEDIA"
        ),
        (
            "key that only goes down",
            keys("KEY_F13 = 'talk down'").replacing("[[input]]", with: "[[§input]]"),
            "input: talk goes down and never up: list its release, write tap, or set release-after"
        ),
        (
            "input device with a service",
            keys("KEY_F13 = 'talk'").replacing("[match]\n", with: "[match]\n§service = ['ffe0']\n"),
            "match.service: an input device has none"
        ),
        (
            "wrong address", start + "address = [§'A4:C1*']\n\(bytes)",
            "match.address[0]: \"A4:C1*\" is not a Bluetooth address: write A4:C1:38:01:02:03, or A4:C1:38:*"
        ),
        (
            "wrong product",
            keys("KEY_F13 = 'talk'").replacing("['usb']", with: "['usb']\nproduct = [§'46d:a37']"),
            "match.product[0]: \"46d:a37\" is not vendor and product: write them as 046d:0a37"
        ),
        ("every name", start + "name = [§'*']\n\(bytes)", "match.name[0]: \"*\" is every name"),
        (
            "star inside a name", start + "name = [§'P*T']\n\(bytes)",
            "match.name[0]: \"P*T\": a * is at the begin or the end of a name"
        ),
        (
            "every device", "name = 'x'\nconfidence = 'unverified'\n[§match]\n\(bytes)",
            "match: says nothing that a device must have: it would match every device"
        ),
        (
            "control character in a name",
            "§name = \"a\\u001Bb\"\nconfidence = 'unverified'\n[match]\nname = ['x']\n\(bytes)",
            "name: \"a\\u{1b}b\" has a control character"
        ),
        (
            "no source", "name = 'x'\n§confidence = 'verified'\n[match]\nname = ['x']\n\(bytes)",
            "confidence: verified needs the address of a capture, or two in evidence of different publishers"
        ),
        (
            "one publisher",
            "name = 'x'\n§confidence = 'verified'\nevidence = ['https://github.com/a/b', 'https://github.com/A/c']\n"
                + "[match]\nname = ['x']\n\(bytes)",
            "confidence: verified needs the address of a capture, or two in evidence of different publishers"
        ),
        (
            "sentence as a source",
            "name = 'x'\nconfidence = 'second-hand'\nevidence = [§'an application']\n[match]\nname = ['x']\n\(bytes)",
            "evidence[0]: \"an application\" is not the address of a page: it begins with https://"
        ),
        (
            "nothing second-hand", "name = 'x'\n§confidence = 'second-hand'\n[match]\nname = ['x']\n\(bytes)",
            "confidence: second-hand needs the address of its source in evidence"
        ),
        (
            "time that is no time", gatt("bytes = { '01' = 'talk tap' }\n[gesture]\n§shortest-press = 7"),
            "gesture.shortest-press: 7.0 is not between 0.0 and 1.0 seconds"
        ),
        (
            "example for another input",
            "\(start)\(bytes)[[example]]\ntitle = 'x'\nsteps = [{ send = '01', §input = 2, expect = [] }]",
            "example[0].steps[0].input: there is no input 2"
        ),
        (
            "begin without transmitting",
            "\(start)\(bytes)[[example]]\ntitle = 'x'\nsteps = [{ send = '01', expect = [§'begin channel-up'] }]",
            "example[0].steps[0].expect[0]: \"begin channel-up\" cannot be expected: write begin or end with a button that "
                + "transmits, press or release with another one"
        ),
        (
            "led of a keyboard",
            keys("KEY_F13 = 'talk'")
                + "[§led]\nservice = 'ffe0'\ncharacteristic = 'ffe1'\ntransmitting = '01'\nidle = '00'",
            "led: only an accessory whose input is a GATT characteristic has one"
        ),
    ])
    func `an error names its place and says what to write`(title: String, text: String, reason: String) throws
    {
        try expectError(text, reason)
    }

    @Test func `a file with too much of anything is refused`() {
        func many(_ count: Int, _ element: (Int) -> String) -> String {
            (0..<count).map(element).joined(separator: "\n")
        }
        func hexadecimal(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        let example = "[[example]]\ntitle = 'x'\nsteps = [{ send = '01', expect = [] }]"
        let steps =
            "[[example]]\ntitle = 'x'\nsteps = [" + many(300) { _ in "{ send = '01', expect = [] }," } + "]"
        let texts = [
            Self.start
                + many(9) {
                    "[[input]]\nservice = 'ffe0'\ncharacteristic = '\(hexadecimal($0))'\nbytes = { '01' = 'talk tap' }"
                },
            Self.gatt("[input.bytes]\n" + many(65) { "'01\(hexadecimal($0))' = 'talk tap'" }),
            Self.gatt("bytes = { '\(String(repeating: "01", count: 65))' = 'talk tap' }"),
            Self.start + "name = [" + many(65) { "'a\($0)'," } + "]\n" + Self.bytes,
            Self.start + Self.bytes + many(33) { _ in example },
            Self.start + Self.bytes + steps,
            "name = '\(String(repeating: "x", count: 257))'\nconfidence = 'unverified'\n[match]\nname = ['x']\n"
                + Self.bytes,
        ]
        for text in texts { #expect(throws: TOMLError.self) { try AccessoryFileTests.parse(text) } }
    }
}
