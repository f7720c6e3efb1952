import AccessoryCore
import AccessoryFiles
import Foundation
import PTTMessages
import TOML
import Testing

/// `actions.toml`, as `Documentation/Actions.md` describes it.
@Suite struct ActionFileTests {
    @Test func `an action of a device counts before one of its accessory file`() throws {
        let list = try ActionList(
            toml: """
                [[action]]
                accessory = "foot-pedal"
                button = "talk"
                press = ["all"]

                [[action]]
                device = "a4:c1:38:00:00:01"
                button = "talk"
                hold = ["mine"]
                release = ["after"]
                limit = 20
                """
        )
        let mine = list.action(of: "A4:C1:38:00:00:01", accessory: "foot-pedal", .talk)
        #expect(
            mine?.work == .run(.init(hold: ["mine"], release: ["after"]))
                && mine?.limit == .seconds(20)
        )
        let other = list.action(of: "usb-1", accessory: "foot-pedal", .talk)
        #expect(other?.work == .run(.init(press: ["all"])) && other?.limit == .seconds(300))
        #expect(list.action(of: "usb-1", accessory: "foot-pedal", .emergency) == nil)
        #expect(list.action(of: "usb-1", accessory: "presenter", .talk) == nil)
    }

    @Test func `a key to hold is one by its name`() throws {
        let entry = "[[action]]\ndevice = \"x\"\nbutton = \"talk\"\nkey = \"KEY_F13\"\n"
        let list = try ActionList(toml: entry)
        #expect(list.actions.map(\.work) == [.key(183)] && list.keys == [183])
        #expect(list.actions.first?.work.description == "KEY_F13")
    }

    @Test(arguments: [
        ("\"~/Recordings\"", Action.Recording.folder("~/Recordings"), "record in ~/Recordings"),
        ("[\"whisper\", \"-\"]", .command(["whisper", "-"]), "record, then whisper"),
    ])
    func `a recording is for a folder or for a command`(
        value: String,
        recording: Action.Recording,
        description: String
    ) throws {
        let list = try ActionList(toml: "[[action]]\ndevice = \"x\"\nbutton = \"talk\"\nrecord = \(value)\n")
        #expect(list.actions.map(\.work) == [.record(recording)])
        #expect(list.actions.first?.work.description == description)
    }

    @Test(arguments: [
        ("button = \"talk\"\npress = [\"a\"]", "an action is for a device or for an accessory"),
        ("device = \"x\"\nbutton = \"talk\"", "an action has press, hold, release, key or record"),
        ("device = \"x\"\nbutton = \"talk\"\nkey = \"BTN_LEFT\"", "BTN_LEFT is no key"),
        ("device = \"x\"\nbutton = \"talk\"\nkey = \"KEY_NONE\"", "KEY_NONE is no key"),
        ("device = \"x\"\nbutton = \"talk\"\nkey = \"KEY_A\"\nrelease = [\"a\"]", "one of them"),
        ("device = \"x\"\nbutton = \"talk\"\nrecord = \"/a\"\nhold = [\"a\"]", "one of them"),
        ("device = \"x\"\nbutton = \"talk\"\nrecord = \"/a\"\nkey = \"KEY_A\"", "one of them"),
        ("device = \"x\"\nbutton = \"talk\"\nrecord = \"a\"", "a folder begins with / or ~/"),
        ("device = \"x\"\nbutton = \"talk\"\nrecord = []", "record is a program and its arguments"),
        ("device = \"x\"\nbutton = \"talk\"\nrecord = 5", "line 4"),
        ("device = \"x\"\nbutton = \"talk\"\npress = [\"a\"]\nhold = [\"b\"]", "line 5"),
        ("device = \"x\"\nbutton = \"speak\"\npress = [\"a\"]", "speak is not a button"),
        ("device = \"x\"\nbutton = \"talk\"\npress = []", "press is a program and its arguments"),
        ("device = \"x\"\nbutton = \"talk\"\npress = \"a b\"", "line 4"),
        ("device = \"x\"\nbutton = \"talk\"\npress = [\"a\"]\nlimit = 0", "limit is 1 to 86400 seconds"),
        ("device = \"x\"\nbutton = \"talk\"\nrun = [\"a\"]", "run"),
    ])
    func `a mistake is said with its place`(entry: String, problem: String) {
        let error = #expect(throws: TOMLError.self) { try ActionList(toml: "[[action]]\n" + entry) }
        #expect(error.map { "\($0)".contains(problem) } == true, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func `each example of the documentation can be used`() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../Documentation/Actions.md").standardized
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```toml\n")
            .dropFirst()
        #expect(blocks.count == 9)
        for block in blocks {
            let text = try #require(block.components(separatedBy: "```").first)
            #expect(try ActionList(toml: text).actions.count == 1)
        }
    }

    @Test func `one button has one action, and a file has 64`() {
        let entry = "[[action]]\ndevice = \"x\"\nbutton = \"talk\"\npress = [\"a\"]\n"
        let twice = #expect(throws: TOMLError.self) { try ActionList(toml: entry + entry) }
        #expect(twice.map { "\($0)".contains("above already") } == true)
        let many = (0...64).map { entry.replacingOccurrences(of: "\"x\"", with: "\"x\($0)\"") }.joined()
        let error = #expect(throws: TOMLError.self) { try ActionList(toml: many) }
        #expect(error.map { "\($0)".contains("more than 64") } == true)
    }
}
