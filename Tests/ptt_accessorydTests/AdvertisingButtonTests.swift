import AccessoryCore
import AccessoryFiles
import EventLoop
import Foundation
import JSON
import PTTMessages
import TestSupport
import Testing

/// Buttons that advertise their presses, with a simulated bluetoothd that monitors advertisements.
@Suite(.serialized) struct AdvertisingButtonTests {
    /// Of a Shelly BLU Button1, recorded for bthome-ble (tests/test_parser_v2.py), and two presses that would
    /// follow, encrypted with Python's `cryptography`.
    private static let recorded = [
        "450AEB84467F85BA0100003188788C", "4573A82492BB010000DA617D15", "454D3A908FBC010000A824E605",
    ]
    /// Encrypted likewise: the charge of its battery, 90 %, without a press, with the counter of the second
    /// press, 443.
    private static let charge = "4573962493BB010000C8BC2C91"
    private static let recordedKey = "90bffd73cb6b26ef58a7a8eba9232036"
    private static let recordedAddress = "B4:35:22:F5:3D:A4"

    init() { withRunningLoop() }

    @EventLoop private func start(
        _ enrolment: Enrolment = Enrolment(AccessoryFixture.address(of: 1), accessory: "shelly-blu")
    ) async throws -> AccessoryFixture {
        let fixture = try await AccessoryFixture.start(
            buttons: ["shelly-blu", "shelly-blu"],
            known: false,
            experimental: true
        )
        try fixture.enrol([enrolment])
        try await fixture.ready()
        return fixture
    }

    @EventLoop private func begin(_ fixture: AccessoryFixture) async throws {
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a press begins, and the next one ends`() async throws {
        let fixture = try await start()
        try await begin(fixture)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .end(first, .released))
    }

    @Test(arguments: ["power off", "crash", "unplug"]) @EventLoop
    func `a transmission ends when its next press could not be received`(loss: String) async throws {
        let fixture = try await start()
        try await begin(fixture)
        try await fixture.simulate(loss)
        #expect(try await fixture.asked() == .end(first, .linkLost))
    }

    @Test @EventLoop func `after bluetoothd was restarted its presses count again`() async throws {
        let fixture = try await start()
        try await fixture.simulate("crash")
        _ = try await fixture.events.first { $0.device?.link == .away }
        try await fixture.simulate("revive")
        try await fixture.ready()
        try await begin(fixture)
    }

    @Test @EventLoop func `another button of the same kind does nothing`() async throws {
        let fixture = try await start()
        try await begin(fixture)
        try await fixture.simulate("press 2")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .end(first, .released))
    }

    @Test @EventLoop func `a bluetoothd that does not listen is told with its cure`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["shelly-blu"], known: false)
        try fixture.enrol([Enrolment(AccessoryFixture.address(of: 1), accessory: "shelly-blu")])
        let device = try await fixture.events.first { $0.device?.remark != nil }.device
        #expect(device?.link == .away)
        #expect(device?.remark?.contains("Experimental = true") == true)
    }

    @Test @EventLoop func `nothing is monitored for anybody who has no such button`() async throws {
        let fixture = try await AccessoryFixture.start(
            buttons: ["shelly-blu"],
            known: false,
            experimental: true
        )
        await #expect(throws: FixtureError.self) { try await fixture.simulate("press") }
        try fixture.enrol([Enrolment(AccessoryFixture.address(of: 1), accessory: "shelly-blu")])
        try await fixture.ready()
        try await fixture.simulate("press")
    }

    @Test @EventLoop func `a press in plain text does nothing where a key was agreed`() async throws {
        let key = [UInt8](repeating: 1, count: 16)
        let fixture = try await start(
            Enrolment(AccessoryFixture.address(of: 1), accessory: "shelly-blu", bindKey: key)
        )
        try await fixture.simulate("press")
        #expect(try await fixture.next(.ignored).remark == "not encrypted, as the presses of this button are")
        try await fixture.simulate("raw \(Self.recorded[0])")
        #expect(try await fixture.next(.ignored).remark == "its key does not fit")
    }

    @Test @EventLoop
    func `a button that is paired again may count from the begin, as after a change of its battery`()
        async throws
    {
        let fixture = try await start()
        try await fixture.simulate("raw 44000501643A01")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        let pttctl = try TestProcess(
            [TestProcess.built("pttctl"), "pair", first],
            environment: [
                "XDG_RUNTIME_DIR": fixture.directory, "XDG_CONFIG_HOME": fixture.directory + "/config",
            ]
        )
        _ = try await pttctl.lines.first { $0.hasPrefix("now press the talk button") }
        #expect(try await fixture.asked() == .end(first, .linkLost))
        try await fixture.simulate("raw 44000101643A01")
        _ = try await pttctl.lines.first { $0.hasPrefix("enrolled") }
        try await fixture.simulate("raw 44000201643A01")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    /// With the button whose presses were recorded.
    @EventLoop private func startRecorded() async throws -> AccessoryFixture {
        let folder = "/tmp/ptt-shelly-\(UInt32.random(in: 0 ... .max))"
        let file = try #require(FileManager.default.contents(atPath: "Sources/Accessories/shelly-blu.toml"))
        let text = String(decoding: file, as: UTF8.self)
            .replacingOccurrences(of: "[match]", with: "[match]\naddress = [\"\(Self.recordedAddress)\"]")
        try text.write(toFile: folder + ".toml", atomically: true, encoding: .utf8)
        defer { _ = unlink(folder + ".toml") }
        return try await AccessoryFixture.start(
            buttons: [folder + ".toml"],
            known: false,
            experimental: true
        )
    }

    private static func recordedEnrolment(name: String? = nil) -> Enrolment {
        Enrolment(
            DeviceIdentity(bluetoothAddress: recordedAddress),
            accessory: "shelly-blu",
            name: name,
            bindKey: Enrolment.bindKey(recordedKey)
        )
    }

    /// Restarts ptt-accessoryd once the counter 443 is on disk, where it is lost unless it `isKept`.
    @EventLoop private func restart(_ fixture: AccessoryFixture, isKept: Bool = true) async throws {
        let counters = fixture.directory + "/state/pushtotalk/counters.json"
        try await until { try TextFile.read(counters, limit: 1024)?.contains("443") == true }
        fixture.accessoryd?.kill()
        if !isKept { try "{".write(toFile: counters, atomically: true, encoding: .utf8) }
        try await fixture.startAccessoryd()
        // Earlier events say that it was ready before.
        try await until {
            let reply: AccessoryInterface.DevicesReply = try await fixture.call("GetDevices")
            return reply.isCoreConnected && reply.devices.first?.link == .ready
        }
    }

    @EventLoop private func refusesFirstRecorded(_ fixture: AccessoryFixture) async throws {
        try await fixture.simulate("raw \(Self.recorded[0])")
        let remark = try await fixture.next(.ignored).remark
        #expect(remark?.hasPrefix("an earlier press was sent again") == true)
    }

    @Test(arguments: [true, false]) @EventLoop
    func `an encrypted press that was recorded does nothing after a restart, unless its counter is lost`(
        isKept: Bool
    ) async throws {
        let fixture = try await startRecorded()
        try fixture.enrol([Self.recordedEnrolment()])
        try await fixture.ready()
        try await fixture.simulate("raw \(Self.recorded[1])")
        #expect(try await fixture.asked() == .begin(Self.recordedAddress, .bluetoothButton))
        try await restart(fixture, isKept: isKept)
        if isKept {
            try await refusesFirstRecorded(fixture)
            try await fixture.simulate("raw \(Self.recorded[2])")
        } else {
            try await fixture.simulate("raw \(Self.recorded[0])")
        }
        #expect(try await fixture.asked() == .begin(Self.recordedAddress, .bluetoothButton))
    }

    @Test(arguments: [true, false]) @EventLoop
    func `a recorded press does nothing after a later advertisement without one, although it was not heard`(
        isRestarted: Bool
    ) async throws {
        let fixture = try await startRecorded()
        try fixture.enrol([Self.recordedEnrolment()])
        try await fixture.ready()
        try await fixture.simulate("raw \(Self.charge)")
        // It was handled: the simulator only says that it was sent.
        _ = try await fixture.events.first { $0.device?.battery == 90 }
        if isRestarted {
            try await restart(fixture)
        } else {
            // A button whose entry changes is made anew.
            try fixture.enrol([Self.recordedEnrolment(name: "Renamed")])
            _ = try await fixture.events.first { $0.device?.name == "Renamed" && $0.device?.link == .ready }
        }
        try await refusesFirstRecorded(fixture)
        try await fixture.simulate("raw \(Self.recorded[2])")
        #expect(try await fixture.asked() == .begin(Self.recordedAddress, .bluetoothButton))
    }

    @Test @EventLoop
    func `pttctl asks for the key of a button that encrypts, and its recorded presses count`()
        async throws
    {
        let fixture = try await startRecorded()
        let pttctl = try TestProcess(
            [TestProcess.built("pttctl"), "pair", Self.recordedAddress],
            environment: [
                "XDG_RUNTIME_DIR": fixture.directory, "XDG_CONFIG_HOME": fixture.directory + "/config",
            ],
            mergesErrors: true
        )
        _ = try await pttctl.lines.first { $0.contains("press the button of") }
        // The discovery may not have begun yet.
        try await until { try await fixture.simulator?.ask("raw \(Self.recorded[0])") == "ok" }
        _ = try await pttctl.lines.first { $0.hasSuffix("it is encrypted, and its key is not known") }
        pttctl.write(String(Self.recordedKey.reversed()))
        _ = try await pttctl.lines.first { $0.hasSuffix("its key does not fit") }
        pttctl.write(Self.recordedKey)
        _ = try await pttctl.lines.first { $0.hasPrefix("now press the talk button") }
        try await fixture.simulate("raw \(Self.recorded[1])")
        _ = try await pttctl.lines.first { $0.hasPrefix("enrolled") }
        #expect(try await pttctl.exitStatus() == 0)
        let contents = try EnrolmentFile.read(fixture.enrolmentFile)
        #expect(contents.enrolments.first?.accessory == "shelly-blu")
        #expect(contents.enrolments.first?.bindKeyText == Self.recordedKey)
        try await fixture.simulate("raw \(Self.recorded[2])")
        #expect(try await fixture.asked() == .begin(Self.recordedAddress, .bluetoothButton))
    }
}
