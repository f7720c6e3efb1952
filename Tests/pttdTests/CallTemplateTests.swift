import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// Calls of the templates of python-dbusmock: services that are not ours.
@Suite(.serialized) struct CallTemplateTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a call of oFono ends a transmission`() async throws {
        let mock = try await MockedService.start("ofono", name: "org.ofono")
        let fixture = try await mock.fixture()
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        let dial = RemoteInterface(service: "org.ofono", path: "/ril_0", name: "org.ofono.VoiceCallManager")
            .call("Dial", [.string("12345"), .string("")])
        try await mock.call(dial)
        #expect(try await fixture.end() == .callActive)
        #expect(try await fixture.accessoryd.status().call == .oFono)
        // The template's own HangupAll withdraws the object first, and then its signal reaches no bus.
        try await mock.emit(
            "CallRemoved",
            of: "org.ofono.VoiceCallManager",
            at: "/ril_0",
            "/ril_0/voicecall01"
        )
        try await fixture.published { $0 == .callChanged(call: nil) }
        try await mock.call(dial)
        try await fixture.published { $0 == .callChanged(call: .oFono) }
        mock.kill()
        try await fixture.published { $0 == .callChanged(call: nil) }
    }

    @Test @EventLoop
    func `a call of ModemManager ends a transmission, and is found by a core that starts later`()
        async throws
    {
        let name = "org.freedesktop.ModemManager1"
        let (root, modem): (ObjectPath, ObjectPath) = (
            "/org/freedesktop/ModemManager1", "/org/freedesktop/ModemManager1/Modems/8"
        )
        let (voice, ringing): (String, ObjectPath) = (
            "\(name).Modem.Voice", "/org/freedesktop/ModemManager1/Call/1"
        )
        let mock = try await MockedService.start("modemmanager", name: name)
        try await mock.mock("AddSimpleModem", at: root, [])
        let fixture = try await mock.fixture()
        _ = try await fixture.accessoryd.begin()
        #expect(try await fixture.firstSoundOrEnd() == nil)
        // MMCallState: it rings.
        let properties = MockedService.properties(["State": .int32(3), "Number": .string("12345")])
        try await mock.mock(
            "AddObject",
            at: root,
            [.string(ringing.text), .string("\(name).Call"), properties, .array(of: "(ssss)", [])]
        )
        let calls = MockedService.properties(["Calls": .array(of: "o", [.objectPath(ringing)])])
        try await mock.mock("UpdateProperties", at: modem, [.string(voice), calls])
        try await mock.emit("CallAdded", of: voice, at: modem, ringing)
        #expect(try await fixture.end() == .callActive)
        #expect(try await fixture.accessoryd.status().call == .modem)

        let later = try await mock.fixture()
        if try await later.accessoryd.status().call == nil {
            try await later.published { if case .callChanged(_?) = $0 { true } else { false } }
        }
        let refused = try await refusal { _ = try await later.accessoryd.begin() }
        #expect(refused.code == .callActive)

        try await mock.emit("CallDeleted", of: voice, at: modem, ringing)
        try await fixture.published { $0 == .callChanged(call: nil) }
        try await later.published { $0 == .callChanged(call: nil) }
        _ = try await later.accessoryd.begin()
        #expect(try await later.firstSoundOrEnd() == nil)
    }
}

extension MockedService {
    /// Skips the test where the package cannot be installed.
    @EventLoop
    fileprivate static func start(_ template: String, name: String) async throws -> MockedService {
        do {
            return try await MockedService(template, name: name)
        } catch let error as PythonPackage.Missing {
            print("skipped: \(error)")
            try Test.cancel("\(error)")
        }
    }

    /// A core that finds the service on its system bus.
    @EventLoop
    fileprivate func fixture() async throws -> MicrophoneFixture {
        try await .start(.pulseAudio, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    }
}
