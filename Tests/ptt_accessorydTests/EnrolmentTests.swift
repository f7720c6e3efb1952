import AccessoryCore
import AccessoryFiles
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@Suite(.serialized) struct EnrolmentTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a paired, trusted and connected button that was not enrolled presses nothing`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(enrolled: false)
        let device = try await fixture.events.first { $0.device?.link == .unused }.device
        #expect(device?.remark == "not enrolled: run `pttctl pair \(first)`")
        try fixture.enrol()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a press that is held while its button is enrolled does not count`() async throws {
        let fixture = try await AccessoryFixture.start(enrolled: false)
        _ = try await fixture.events.first { $0.device?.link == .unused }
        try await fixture.simulate("on-subscribe 01")
        try fixture.enrol()
        try await fixture.ready()
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a held button whose enrolment is removed ends, and presses nothing more`()
        async throws
    {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try EnrolmentFile.edit(fixture.enrolmentFile) { try $0.remove(AccessoryFixture.address(of: 1)) }
        #expect(try await fixture.asked() == .end(first, .linkLost))
        let device = try await fixture.events.first { $0.device?.link == .unused }.device
        #expect(device?.remark == "not enrolled: run `pttctl pair \(first)`")
    }

    @Test(arguments: [["ffe0"], []]) @EventLoop
    func `a device whose accessory file is missing is listed with the reason`(buttons: [String]) async throws
    {
        let microphones = buttons.isEmpty ? ["serial-ptt:SPP-MIC"] : []
        let fixture = try await AccessoryFixture.start(buttons: buttons, microphones: microphones)
        try await fixture.ready()
        let address =
            buttons.isEmpty ? AccessoryFixture.address(ofMicrophone: 1) : AccessoryFixture.address(of: 1)
        try fixture.enrol([Enrolment(address, accessory: "gone")])
        let device = try await fixture.events.first { $0.device?.link == .unused }.device
        let reason = "its accessory file gone.toml is missing or cannot be used: see `pttctl accessory list`"
        #expect(device?.remark == reason)
    }

    @Test @EventLoop func `an unusable entry disables only its own device`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "aina"], enrolled: false)
        let text = """
            [[device]]
            identity = "bluetooth:F0:F1:F2:F3:F4:01"
            mode = "sideways"
            [[device]]
            identity = "bluetooth:F0:F1:F2:F3:F4:02"

            """
        try TextFile.edit(fixture.enrolmentFile, limit: 1024) { _ in text }
        let ready = try await fixture.events.first { $0.device?.link == .ready }.device
        #expect(ready?.identifier == "F0:F1:F2:F3:F4:02")
        let reply: AccessoryInterface.DevicesReply = try await fixture.call("GetDevices")
        #expect(reply.devices.first { $0.identifier == first }?.link == .unused)
    }

    @Test @EventLoop
    func `a file that is not TOML withdraws every enrolment, and says so with line and column`()
        async throws
    {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try TextFile.edit(fixture.enrolmentFile, limit: 1024) { ($0 ?? "") + "[[device]\n" }
        #expect(try await fixture.asked() == .end(first, .linkLost))
        let device = try await fixture.events.first { $0.device?.link == .unused }.device
        #expect(device?.remark?.contains("devices.toml cannot be used: line 3, column ") == true)
    }

    @Test(arguments: ["a pipe", "a large file", "not text", "no file"]) @EventLoop
    func `no device is enrolled by what cannot be read`(replacement: String) async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        let path = fixture.enrolmentFile
        _ = unlink(path)
        switch replacement {
        case "a pipe": #expect(mkfifo(path, 0o600) == 0)
        case "a large file":
            try TextFile.edit(path, limit: 1) { _ in String(repeating: "#\n", count: EnrolmentFile.sizeLimit)
            }
        case "not text":
            let file = try #require(fopen(path, "we"))
            _ = fwrite([0xFF, 0xFE] as [UInt8], 1, 2, file)
            #expect(fclose(file) == 0)
        default: break
        }
        _ = try await fixture.events.first { $0.device?.link == .unused }
    }

    @Test @EventLoop func `two users' daemons do not share a button`() async throws {
        let owner = try await AccessoryFixture.start()
        try await owner.ready()
        let other = try await AccessoryFixture.start(sharing: owner)
        let device = try await other.events.first { $0.device != nil }.device
        #expect(device?.link == .unused)
        try await owner.simulate("press")
        #expect(try await owner.asked() == .begin(first, .bluetoothButton))
        try await owner.simulate("release")
        #expect(try await owner.asked() == .end(first, .released))
        try other.enrol()
        try await other.ready()
        try await owner.simulate("press")
        // Its first request: there was none for the press before.
        #expect(try await other.asked() == .begin(first, .bluetoothButton))
    }
}
