import AccessoryCore
import AccessoryFiles
import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing

/// The built ptt-accessoryd with a serial microphone.
@Suite(.serialized) struct SerialMicrophoneTests {
    nonisolated private static let microphone = "00:1B:DC:00:01:01"

    init() { withRunningLoop() }

    private func fixture(enrolled: Bool = true) async throws -> AccessoryFixture {
        try await AccessoryFixture.start(buttons: [], microphones: ["serial-ptt:SPP-MIC"], enrolled: enrolled)
    }

    @Test @EventLoop func `a press begins a transmission, and its release ends it`() async throws {
        let fixture = try await fixture()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone))
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(Self.microphone, .released))
        // Concatenated, padded, and split.
        try await fixture.simulate("raw 2B5054543D50002B5054")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone))
        try await fixture.simulate("raw 543D52")
        #expect(try await fixture.asked() == .end(Self.microphone, .released))
    }

    nonisolated static let losses = [
        ("disconnect", nil), ("close-port", nil), ("sleep", "wake"), ("vanish", "return"),
        ("power off", "power on"), ("unplug", "plug"), ("crash", "revive"),
    ]

    @Test(arguments: losses) @EventLoop
    func `any fault while it is held ends its transmission, and it comes back by itself`(
        loss: String,
        repair: String?
    ) async throws {
        let fixture = try await fixture()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone))
        try await fixture.simulate(loss)
        #expect(try await fixture.asked() == .end(Self.microphone, .linkLost))
        _ = try await fixture.events.first { $0.device?.link == .away }
        if let repair { try await fixture.simulate(repair) }
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone))
    }

    @Test @EventLoop func `one that is not enrolled is listed, and its port stays closed`() async throws {
        let fixture = try await fixture(enrolled: false)
        let device = try await fixture.events.first { $0.device?.identifier == Self.microphone }.device
        #expect(device?.link == .unused)
        #expect(device?.kind == .serialMicrophone)
        #expect(device?.profile == "Serial PTT")
        #expect(device?.remark == "not enrolled: run `pttctl pair \(Self.microphone)`")
        #expect(try await fixture.simulator?.ask("press") != "ok")
        try fixture.enrol([Enrolment(AccessoryFixture.address(ofMicrophone: 1))])
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone))
    }

    @Test @EventLoop func `one that is switched off is listed with what to do, and returns by itself`()
        async throws
    {
        let fixture = try await fixture()
        try await fixture.ready()
        try await fixture.simulate("sleep")
        let device = try await fixture.events.first { $0.device?.remark?.hasPrefix("it does not") == true }
            .device
        #expect(device?.link == .away)
        try await fixture.simulate("wake")
        try await fixture.simulate("page")
        try await fixture.ready()
    }

    @Test @EventLoop func `noise without end delays no release of another button`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0"], microphones: ["serial-ptt:SPP-MIC"])
        try await fixture.ready(2)
        let noise = "raw 2 " + String(repeating: "2b", count: 500)
        try await fixture.simulate("press 1")
        #expect(try await fixture.asked() == .begin("F0:F1:F2:F3:F4:01", .bluetoothButton))
        for _ in 0..<200 { _ = try await fixture.simulator?.ask(noise) }
        try await fixture.simulate("release 1")
        #expect(try await fixture.asked() == .end("F0:F1:F2:F3:F4:01", .released))
        // The port was closed for it, and is open again.
        _ = try await fixture.events.first { $0.device?.remark?.hasPrefix("it sends more") == true }
        _ = try await fixture.events.first {
            $0.device?.kind == .serialMicrophone && $0.device?.link == .ready
        }
        try await fixture.simulate("press 2")
        #expect(try await fixture.asked() == .begin("00:1B:DC:00:01:02", .serialMicrophone))
    }

    @Test @EventLoop func `its name, mode and roles in devices.toml count at once`() async throws {
        let fixture = try await fixture()
        try await fixture.ready()
        let address = AccessoryFixture.address(ofMicrophone: 1)
        try fixture.enrol([Enrolment(address, name: "Radio car", mode: .toggle)])
        _ = try await fixture.events.first { event in
            event.device.map { $0.name == "Radio car" && $0.mode == .toggle && $0.link == .ready } ?? false
        }
        for expected in [
            CoreDouble.Request.begin(Self.microphone, .serialMicrophone), .end(Self.microphone, .released),
        ] {
            try await fixture.simulate("press")
            try await fixture.simulate("release")
            #expect(try await fixture.asked() == expected)
        }
        try fixture.enrol([Enrolment(address, name: "Radio car", roles: [.talk: .emergency])])
        _ = try await fixture.events.first { $0.device?.mode == .hold && $0.device?.link == .ready }
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone, .emergency))
    }

    @Test @EventLoop func `a microphone that is held when it is enrolled no more is released`() async throws {
        let fixture = try await fixture()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone))
        try EnrolmentFile.edit(fixture.enrolmentFile) {
            try $0.remove(AccessoryFixture.address(ofMicrophone: 1))
        }
        #expect(try await fixture.asked() == .end(Self.microphone, .linkLost))
    }

    @Test @EventLoop func `pairing bonds with a new one, and opens its port before it is enrolled`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(
            buttons: [],
            microphones: ["serial-ptt:SPP-MIC"],
            known: false,
            enrolled: false
        )
        _ = try await fixture.scan()
        let reply = try await fixture.call(
            "Pair",
            ["address": .string(Self.microphone)],
            as: AccessoryInterface.PairReply.self
        )
        #expect(reply.device.kind == .serialMicrophone)
        _ = try await fixture.events.first { $0.device?.remark?.hasPrefix("not enrolled: run") == true }
        try fixture.enrol([Enrolment(AccessoryFixture.address(ofMicrophone: 1))])
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(Self.microphone, .serialMicrophone))
    }
}
