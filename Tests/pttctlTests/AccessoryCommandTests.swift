import AccessoryCore
import AccessoryFiles
import EventLoop
import PTTMessages
import TestSupport
import Testing

@testable import pttctl

@Suite struct AccessoryCommandTests {
    init() { withRunningLoop() }

    private static let text = """
        name = "Button"
        confidence = "unverified"
        [match]
        service = ["ffe0"]
        name = ["PTT*", "Zello"]
        not-name = ["iTag*"]
        hint = ["PTT-Z*"]
        [connect]
        bond = "never"
        write = [{ service = "ffe0", characteristic = "ffe3", set-bits = "30" }]
        [[input]]
        service = "ffe0"
        characteristic = "ffe1"
        bytes = { "01" = "talk down", "00" = "talk up" }
        [gesture]
        release-after = 60
        [[example]]
        title = "press"
        steps = [{ send = "01", expect = ["begin talk"] }, { send = "01", expect = ["end talk"] }]
        """

    @Test func `a file is said in words`() throws {
        let definition = try AccessoryDefinition(toml: Self.text, identifier: "button")
        #expect(
            Wording.lines(definition) == [
                "name          Button, unverified",
                "matches       service ffe0, and name PTT* or Zello; not name iTag*",
                "suggested by  name PTT-Z*",
                "bond          never",
                "writes        the bits 30 in ffe0/ffe3",
                "input         ffe0/ffe1: 00 released, 01 talk down",
                "mode          talk while it is held; released after 60.0 seconds",
            ]
        )
    }

    @Test(arguments: [[], ["--json"]]) @EventLoop
    func `to have no accessory file is a failure`(options: [String]) async throws {
        let scratch = try Scratch()
        let list = try TestProcess(
            [TestProcess.built("pttctl"), "accessory", "list"] + options,
            environment: [
                "PTT_ACCESSORIES": scratch.directory, "XDG_CONFIG_HOME": scratch.directory,
            ]
        )
        #expect(try await list.exitStatus() == 1)
    }

    @Test func `a step of an example with other outcomes is named`() throws {
        let definition = try AccessoryDefinition(toml: Self.text, identifier: "button")
        #expect(
            definition.failedExamples().map { Wording.line($0) } == [
                "\"press\", step 2: nothing in place of end talk"
            ]
        )
    }

    @Test func `an explanation has what is known of the device, the file that is used, and the reasons`() {
        typealias Reply = AccessoryInterface.ExplainReply
        let reply = Reply(
            name: "PTT-Z01",
            address: "A4:C1:38:00:00:01",
            services: ["ffe0"],
            accessory: "ffe0",
            files: [
                Reply.FileMatch(
                    accessory: "ffe0",
                    path: "/x",
                    matches: true,
                    reasons: ["it has the service ffe0"]
                ),
                Reply.FileMatch(
                    accessory: "itag",
                    path: "/y",
                    matches: false,
                    reasons: ["the name is not iTag*"]
                ),
            ]
        )
        let lines = [
            "name          PTT-Z01", "address       A4:C1:38:00:00:01", "services      ffe0",
            "file          ffe0",
            "  ffe0 is used: it has the service ffe0",
        ]
        #expect(Wording.lines(reply, includesOthers: false) == lines)
        #expect(
            Wording.lines(reply, includesOthers: true) == lines + [
                "  itag does not match: the name is not iTag*"
            ]
        )
    }
}
