import AccessoryCore
import AccessoryFiles
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import TOML

@Suite struct EnrolmentFileTests {
    private static let left = DeviceIdentity(bluetoothAddress: "AA:BB:CC:DD:EE:FF")
    private static let right = DeviceIdentity(bluetoothAddress: "AA:BB:CC:DD:EE:00")

    @Test func `an entry names a device, its accessory file, and what was chosen for it`() throws {
        let contents = try EnrolmentFile.parse(
            """
            [[device]]
            identity = "bluetooth:aa:bb:cc:dd:ee:ff"
            accessory = "aina"
            name = "Left hand"
            mode = "hold"
            roles = { second-talk = "talk", channel-up = "multifunction" }
            [[device]]
            identity = "serial:046d_Pedal:00"
            key = "BTN_TRIGGER"
            """
        )
        #expect(contents.problems.isEmpty)
        #expect(contents.enrolments.map(\.identity.text) == [Self.left.text, "serial:046d_Pedal:00"])
        let enrolment = try #require(contents.enrolments.first)
        #expect(enrolment.accessory == "aina" && enrolment.name == "Left hand" && enrolment.mode == .hold)
        #expect(enrolment.roles == [.secondTalk: .talk, .channelUp: .multifunction])
        #expect(Self.left.bluetoothAddress == "AA:BB:CC:DD:EE:FF")
        #expect(contents.enrolments[1].identity.bluetoothAddress == nil)
        #expect(enrolment.key == nil && contents.enrolments[1].key == 0x120)
    }

    @Test(arguments: [
        ("mode = \"sideways\"", 3, 8, "mode is"), ("nmae = \"x\"", 3, 8, "nmae is not known"),
        ("accessory = \"../../etc\"", 3, 13, "accessory is the name"),
        ("name = \"a\\u0007\"", 3, 8, "name is"),
        ("key = \"BTN_TIGGER\"", 3, 7, "BTN_TIGGER is no key"),
        ("key = \"768\"", 3, 7, "768 is no key"), ("key = \"DTR\"", 3, 7, "DTR is no key"),
        ("roles = { tlak = \"talk\" }", 3, 9, "tlak is not a button"),
        ("roles = { talk = \"shout\" }", 3, 18, "shout is not a role"),
        ("restore = [{ service = \"x\", characteristic = \"ffe1\", bits = \"00\" }]", 3, 12, "restore has"),
    ])
    func `an unusable entry is reported with line and column, and disables only itself`(
        line: String,
        number: Int,
        column: Int,
        reason: String
    ) throws {
        let text = """
            [[device]]
            identity = "\(Self.left)"
            \(line)
            [[device]]
            identity = "\(Self.right)"
            """
        let contents = try EnrolmentFile.parse(text)
        #expect(contents.enrolments.map(\.identity) == [Self.right])
        #expect(contents.problems.map(\.place) == [TOMLError.Place(line: number, column: column)])
        #expect(contents.problems.first?.reason.hasPrefix(reason) == true, "\(contents.problems)")
    }

    @Test func `the first of two entries for one device counts`() throws {
        let text = """
            [[device]]
            identity = "\(Self.left)"
            name = "first"
            [[device]]
            identity = "bluetooth:aa:bb:cc:dd:ee:ff"
            name = "second"
            """
        let contents = try EnrolmentFile.parse(text)
        #expect(contents.enrolments.map(\.name) == ["first"])
        #expect(contents.problems.map(\.place) == [TOMLError.Place(line: 5, column: 12)])
    }

    @Test(arguments: ["device = 3", "[device]\nidentity = \"x\"", "[[device]\n", "\u{0}"])
    func `a text without an array of devices is refused`(text: String) {
        #expect(throws: TOMLError.self) { try EnrolmentFile.parse(text) }
    }

    @Test func `a file of mistakes is refused with bounded effort`() throws {
        let text = String(repeating: "[[device]]\nidentity = 1\n", count: 2600)
        #expect(text.utf8.count <= EnrolmentFile.sizeLimit)
        let contents = try EnrolmentFile.parse(text)
        #expect(contents.enrolments.isEmpty)
        #expect(contents.problems.count == 16)
    }

    @Test func `more devices than a person has are refused`() throws {
        let entries = (0..<300).map { "[[device]]\nidentity = \"path:\($0)\"\n" }
        let contents = try EnrolmentFile.parse(entries.joined())
        #expect(contents.enrolments.count == EnrolmentFile.countLimit)
        #expect(contents.problems.first?.reason == "there are more than 256 devices")
    }

    // MARK: - Editing

    private static let handwritten = """
        # My buttons.

        [[device]]  # the old one
        identity = "bluetooth:AA:BB:CC:DD:EE:FF"
        # It was a gift.
        name = "Left"

        # The next one is broken on purpose.
        [[device]]
        identity = "path:x"
        mode = "sideways"

        [[device]]
        identity = "bluetooth:AA:BB:CC:DD:EE:00"
        [device.roles]
        talk = "second-talk"
        # The end.

        """

    @Test func `a new entry is appended, and nothing else changes`() throws {
        var text = try EnrolmentText(Self.handwritten)
        let identity = try #require(DeviceIdentity("path:pci:\"\\ü"))
        let enrolment = Enrolment(
            identity,
            accessory: "aina",
            name: "a \"b\" \\ ü",
            mode: .toggle,
            roles: [.secondTalk: .talk, .multifunction: .emergency],
            restorations: [
                Enrolment.Restoration(
                    GattAttribute(
                        service: GattUUID(assigned: 0xFFE0),
                        characteristic: GattUUID(assigned: 0xFFE1)
                    ),
                    bits: [0x10, 0x00]
                )
            ]
        )
        try text.set(enrolment)
        #expect(text.text.hasPrefix(Self.handwritten))
        #expect(text.enrolments.last == enrolment)
        try text.remove(identity)
        #expect(text.text == Self.handwritten + "\n")
    }

    @Test func `an entry is replaced in its place, with its comments`() throws {
        var text = try EnrolmentText(Self.handwritten)
        try text.set(Enrolment(Self.left, mode: .toggle))
        #expect(text.enrolments.map(\.identity) == [Self.left, Self.right])
        let expected = Self.handwritten.replacing(
            """
            [[device]]  # the old one
            identity = "bluetooth:AA:BB:CC:DD:EE:FF"
            # It was a gift.
            name = "Left"
            """,
            with: """
                [[device]]
                # It was a gift.
                identity = "bluetooth:AA:BB:CC:DD:EE:FF"
                mode = "toggle"
                """
        )
        #expect(text.text == expected)
    }

    @Test func `an entry is removed with its tables, and all comments around it stay`() throws {
        var text = try EnrolmentText(Self.handwritten)
        #expect(try text.remove(Self.right))
        #expect(text.text.contains("sideways") && text.text.hasSuffix("# The end.\n"))
        #expect(!text.text.contains("device.roles"))
        #expect(try text.remove(Self.left))
        #expect(text.text.contains("# The next one is broken on purpose."))
        #expect(try !text.remove(Self.left))
        #expect(text.enrolments.isEmpty)
    }

    @Test func `an unusable entry is replaced by a usable one of the same identity`() throws {
        var text = try EnrolmentText(Self.handwritten)
        let identity = try #require(DeviceIdentity("path:x"))
        try text.set(Enrolment(identity))
        #expect(!text.text.contains("sideways"))
        #expect(text.enrolments.map(\.identity) == [Self.left, identity, Self.right])
    }

    @Test func `lines that end as on Windows are accepted`() throws {
        var text = try EnrolmentText(Self.handwritten.replacing("\n", with: "\r\n"))
        try text.remove(Self.left)
        #expect(text.enrolments.map(\.identity) == [Self.right])
    }

    @Test(arguments: [
        "device = [{ identity = \"bluetooth:AA:BB:CC:DD:EE:FF\" }, { identity = \"path:x\" }]",
        "[[device]]\nidentity = \"bluetooth:AA:BB:CC:DD:EE:FF\"\n[[device]]\nidentity = \"path:y\"\nname = '''\n# x'''",
    ])
    func `an edit that would lose another entry is refused, and the text stays`(before: String) throws {
        var text = try EnrolmentText(before)
        // The second text can be edited, and is then complete.
        do {
            try text.remove(Self.left)
            #expect(text.enrolments.count == 1)
        } catch {
            #expect(text.text == before)
        }
    }

    @Test func `a file that is not TOML is not edited`() {
        #expect(throws: TOMLError.self) { try EnrolmentText("[[device]\n") }
    }

    @Test func `any sequence of edits leaves exactly the entries that were set`() throws {
        var generator = SplitMix.ofThisRun()
        var text = try EnrolmentText(Self.handwritten)
        var expected = Dictionary(uniqueKeysWithValues: text.enrolments.map { ($0.identity, $0) })
        for _ in 0..<300 {
            let number = Int.random(in: 0..<12, using: &generator)
            let identity = try #require(DeviceIdentity("path:\(number)"))
            if Bool.random(using: &generator) {
                let name = "\(Int.random(in: 0..<100, using: &generator))"
                let enrolment = Enrolment(identity, name: name, mode: .hold)
                try text.set(enrolment)
                expected[identity] = enrolment
            } else {
                #expect(try text.remove(identity) == (expected.removeValue(forKey: identity) != nil))
            }
            #expect(Dictionary(uniqueKeysWithValues: text.enrolments.map { ($0.identity, $0) }) == expected)
        }
        #expect(text.text.contains("sideways") && text.text.contains("# The end."))
    }
}
