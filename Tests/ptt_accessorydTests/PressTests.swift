import EventLoop
import PTTMessages
import TestSupport
import Testing

@testable import ptt_accessoryd

/// The first button of a simulation.
let first = "F0:F1:F2:F3:F4:01"

@Suite(.serialized) struct PressTests {
    init() { withRunningLoop() }

    @Test(arguments: ["ffe0", "aina", "nordic"]) @EventLoop
    func `a press begins and letting go ends`(kind: String) async throws {
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
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "aina", "nordic"])
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

    @Test @EventLoop func `a button whose name nobody could read has one that all can`() async throws {
        let marks = String(repeating: "\u{301}", count: 60)
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0:a\(marks)"])
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        #expect("a\(marks)é".withBoundedMarks == "a" + String(repeating: "\u{301}", count: 30) + "é")
    }

    @Test @EventLoop func `a sign of life is no press`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["aina"])
        try await fixture.ready()
        try await fixture.simulate("raw 80")
        #expect(try await fixture.next(.ignored).value == "80")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `bytes without meaning are told and do nothing`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("raw ff")
        #expect(try await fixture.next(.ignored).value == "ff")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a level that is told on connecting is no press`() async throws {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("on-subscribe 01")
        try await fixture.simulate("disconnect")
        // It comes back by itself, and says that it is held.
        #expect(try await fixture.next(.ignored).value == "01")
        try await fixture.ready()
        // The core may wait to hear that it was let go, since a time limit.
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
    }

    @Test @EventLoop func `a released level that is told on connecting leaves the next press alone`()
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

    @Test @EventLoop func `a refusal is told with its reason`() async throws {
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
