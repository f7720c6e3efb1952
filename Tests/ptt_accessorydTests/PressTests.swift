import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing

@testable import ptt_accessoryd

/// The first button of a simulation.
let first = "F0:F1:F2:F3:F4:01"

@Suite(.serialized) struct PressTests {
    init() { withRunningLoop() }

    @Test(arguments: ["ffe0", "aina", "nordic-led-button"]) @EventLoop
    func `a press begins and a release ends a transmission`(kind: String) async throws {
        let fixture = try await AccessoryFixture.start(buttons: [kind])
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        #expect(try await fixture.next(.pressed).value == "01")
        #expect(try await fixture.next(.released).value == "00")
    }

    @Test @EventLoop func `three buttons are three origins`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "aina", "nordic-led-button"])
        try await fixture.ready(3)
        for number in 1...3 {
            let address = "F0:F1:F2:F3:F4:0\(number)"
            try await fixture.simulate("press \(number)")
            #expect(try await fixture.asked() == .begin(address, .bluetoothButton))
        }
        for number in 1...3 {
            try await fixture.simulate("release \(number)")
            #expect(try await fixture.asked() == .end("F0:F1:F2:F3:F4:0\(number)", .released))
        }
    }

    @Test @EventLoop func `a name with too many combining marks is shortened`() async throws {
        let marks = String(repeating: "\u{301}", count: 60)
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0:a\(marks)"])
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        #expect("a\(marks)é".withBoundedMarks == "a" + String(repeating: "\u{301}", count: 30) + "é")
    }

    @Test @EventLoop func `a heartbeat is not a press`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["aina"])
        try await fixture.ready()
        try await fixture.simulate("raw 80")
        #expect(try await fixture.next(.ignored).value == "80")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `unknown bytes are reported and have no effect`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("raw ff")
        #expect(try await fixture.next(.ignored).value == "ff")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a level that is notified on connecting is not a press`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("on-subscribe 01")
        try await fixture.simulate("disconnect")
        // It reconnects automatically, and reports that it is pressed.
        #expect(try await fixture.next(.ignored).value == "01")
        try await fixture.ready()
        // Since a time limit the core may be waiting for the release.
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
    }

    @Test @EventLoop func `a released level that is notified on connecting does not affect the next press`()
        async throws
    {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("on-subscribe 00")
        try await fixture.simulate("disconnect")
        #expect(try await fixture.next(.ignored).value == "00")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a refusal is reported with its reason`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        fixture.core?.refusal = Refusal(.callActive, "a call is going on")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        let remark = try await fixture.next(.ignored).remark
        #expect(remark?.contains("a call is going on") == true)
        fixture.core?.refusal = nil
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }
}
