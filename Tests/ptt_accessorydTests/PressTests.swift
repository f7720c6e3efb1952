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
        let rig = try await Rig.start(buttons: [kind])
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        try await rig.simulate("release")
        #expect(try await rig.asked() == .end(first, .released))
        #expect(try await rig.next(.pressed).value == "01")
        #expect(try await rig.next(.released).value == "00")
    }

    @Test @EventLoop func `three buttons are three origins`() async throws {
        let rig = try await Rig.start(buttons: ["ffe0", "aina", "nordic"])
        try await rig.ready(3)
        for number in 1...3 {
            let address = "F0:F1:F2:F3:F4:0\(number)"
            try await rig.simulate("press \(number)")
            #expect(try await rig.asked() == .begin(address, .bluetoothButton))
        }
        for number in 1...3 {
            try await rig.simulate("release \(number)")
            #expect(try await rig.asked() == .end("F0:F1:F2:F3:F4:0\(number)", .released))
        }
    }

    @Test @EventLoop func `a button whose name nobody could read has one that all can`() async throws {
        let marks = String(repeating: "\u{301}", count: 60)
        let rig = try await Rig.start(buttons: ["ffe0:a\(marks)"])
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        #expect("a\(marks)é".withBoundedMarks == "a" + String(repeating: "\u{301}", count: 30) + "é")
    }

    @Test @EventLoop func `a sign of life is no press`() async throws {
        let rig = try await Rig.start(buttons: ["aina"])
        try await rig.ready()
        try await rig.simulate("raw 80")
        #expect(try await rig.next(.ignored).value == "80")
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `bytes without meaning are told and do nothing`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("raw ff")
        #expect(try await rig.next(.ignored).value == "ff")
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a level that is told on connecting is no press`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("on-subscribe 01")
        try await rig.simulate("disconnect")
        // It comes back by itself, and says that it is held.
        #expect(try await rig.next(.ignored).value == "01")
        try await rig.ready()
        // The core may wait to hear that it was let go, since a time limit.
        try await rig.simulate("release")
        #expect(try await rig.asked() == .end(first, .released))
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        try await rig.simulate("release")
        #expect(try await rig.asked() == .end(first, .released))
    }

    @Test @EventLoop func `a released level that is told on connecting leaves the next press alone`()
        async throws
    {
        let rig = try await Rig.start()
        try await rig.ready()
        try await rig.simulate("on-subscribe 00")
        try await rig.simulate("disconnect")
        #expect(try await rig.next(.ignored).value == "00")
        #expect(try await rig.asked() == .end(first, .released))
        try await rig.ready()
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a refusal is told with its reason`() async throws {
        let rig = try await Rig.start()
        try await rig.ready()
        rig.core?.refusal = Refusal(.callActive, "a call is going on")
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
        let remark = try await rig.next(.ignored).remark
        #expect(remark?.contains("a call is going on") == true)
        rig.core?.refusal = nil
        try await rig.simulate("release")
        #expect(try await rig.asked() == .end(first, .released))
        try await rig.simulate("press")
        #expect(try await rig.asked() == .begin(first, .bluetoothButton))
    }
}
