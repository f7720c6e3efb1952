import EventLoop
import Foundation
import JSON
import TestSupport
import Testing

/// The output of the built `pttctl action` about an `actions.toml`.
@Suite struct ActionCommandTests {
    init() { withRunningLoop() }

    private static let file = """
        [[action]]
        accessory = "foot-pedal"
        button = "talk"
        press = ["notify-send", "down"]
        release = ["notify-send", "up"]

        [[action]]
        accessory = "foot-pedal"
        button = "second-talk"
        hold = ["sleep", "600"]
        limit = 20

        [[action]]
        device = "A4:C1:38:12:34:56"
        button = "talk"
        key = "KEY_F24"

        [[action]]
        device = "A4:C1:38:12:34:56"
        button = "emergency"
        record = "~/Recordings"

        [[action]]
        device = "A4:C1:38:12:34:56"
        button = "multifunction"
        record = ["whisper-cli", "-f", "-"]

        """

    @EventLoop
    private func run(_ command: String, on text: String) async throws -> (status: Int32, lines: [String]) {
        let scratch = try Scratch()
        let folder = scratch.directory + "/pushtotalk"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: folder + "/actions.toml", atomically: true, encoding: .utf8)
        let process = try TestProcess(
            ["sh", "-c", "cd '\(folder)' && exec '\(TestProcess.built("pttctl"))' action \(command)"],
            environment: ["XDG_CONFIG_HOME": scratch.directory, "HOME": scratch.directory],
            mergesErrors: true
        )
        return try await process.output()
    }

    @Test(arguments: ["list", "check actions.toml"]) @EventLoop
    func `each kind of action is told by what it does`(command: String) async throws {
        let (status, lines) = try await run(command, on: Self.file)
        #expect(status == 0)
        #expect(
            lines == [
                "foot-pedal  talk  press: notify-send down; release: notify-send up",
                "foot-pedal  second-talk  hold: sleep 600",
                "A4:C1:38:12:34:56  talk  key: KEY_F24",
                "A4:C1:38:12:34:56  emergency  record: ~/Recordings",
                "A4:C1:38:12:34:56  multifunction  record: whisper-cli -f -",
                "pttctl: KEY_F24 is not granted: sudo pttctl grant actions KEY_F24",
            ]
        )
    }

    private struct List: Decodable {
        struct Row: Decodable, Equatable {
            var device: String?
            var accessory: String?
            let button: String
            var press: [String]?
            var hold: [String]?
            var key: String?
            var record: [String]?
            var folder: String?
            var release: [String]?
            let limit: Int
        }
        let actions: [Row]
        let problems: [String]
    }

    @Test @EventLoop func `for programs a folder and a command are told apart`() async throws {
        let (status, lines) = try await run("list --json", on: Self.file)
        let list = try JSON(parsing: lines.joined()).decode(List.self)
        #expect(status == 0 && list.problems.isEmpty)
        let (pedal, button) = ("foot-pedal", "A4:C1:38:12:34:56")
        let (down, up) = (["notify-send", "down"], ["notify-send", "up"])
        let record = ["whisper-cli", "-f", "-"]
        #expect(
            list.actions == [
                List.Row(accessory: pedal, button: "talk", press: down, release: up, limit: 300),
                List.Row(accessory: pedal, button: "second-talk", hold: ["sleep", "600"], limit: 20),
                List.Row(device: button, button: "talk", key: "KEY_F24", limit: 300),
                List.Row(device: button, button: "emergency", folder: "~/Recordings", limit: 300),
                List.Row(device: button, button: "multifunction", record: record, limit: 300),
            ]
        )
    }

    @Test @EventLoop func `a mistake fails for programs, too`() async throws {
        let text = Self.file.replacing("record = \"~/Recordings\"", with: "record = 3")
        let (status, lines) = try await run("list --json", on: text)
        let list = try JSON(parsing: lines.joined()).decode(List.self)
        #expect(status == 1 && list.problems.count == 1)
    }

    @Test(arguments: [
        ("list", "pushtotalk/actions.toml cannot be used: "), ("check actions.toml", "actions.toml: "),
    ]) @EventLoop
    func `a mistake is said with its file and line, and fails`(command: String, file: String) async throws {
        let text = Self.file.replacing("record = \"~/Recordings\"", with: "record = 3")
        let (status, lines) = try await run(command, on: text)
        #expect(status == 1)
        #expect(lines.count == 1 && lines[0].contains(file) && lines[0].contains("record"), "\(lines)")
        #expect(lines[0].contains("line 21, column 10"), "\(lines)")
    }
}
