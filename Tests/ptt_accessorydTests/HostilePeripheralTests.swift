import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

@testable import ptt_accessoryd

/// Buttons that misbehave, beside one that is in use.
@Suite(.serialized) struct HostilePeripheralTests {
    init() { withRunningLoop() }

    private static let presses = 50
    /// The memory by which ptt-accessoryd may grow, in kB.
    private static let growth = 4096

    @Test @EventLoop func `1,000 notifications a second harm no other button, and cost no memory`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "ffe0"])
        try await fixture.ready(2)
        // Until what is needed for a press, and for an unknown value, was touched once.
        try await flood(fixture)
        let before = try residentKilobytes(of: fixture)
        for _ in 1...3 { try await flood(fixture) }
        #expect(try residentKilobytes(of: fixture) < before + Self.growth)
    }

    @Test @EventLoop func `a button that drops each of its links harms no other button`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0", "ffe0"])
        try await fixture.ready(2)
        for _ in 1...Self.presses {
            try await fixture.simulate("disconnect 2")
            try await press(fixture)
        }
        let later = try residentKilobytes(of: fixture)
        for _ in 1...Self.presses {
            try await fixture.simulate("disconnect 2")
            try await press(fixture)
        }
        #expect(try residentKilobytes(of: fixture) < later + Self.growth)
    }

    @Test @EventLoop func `of two buttons with one name, each is released by its own release`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["ffe0:Twin", "ffe0:Twin"])
        try await fixture.ready(2)
        let second = "F0:F1:F2:F3:F4:02"
        try await fixture.simulate("press 1")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("press 2")
        #expect(try await fixture.asked() == .begin(second, .bluetoothButton))
        try await fixture.simulate("release 1")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("release 2")
        #expect(try await fixture.asked() == .end(second, .released))
    }

    @Test @EventLoop func `of 1,000 ignored values at most a few are published, and every release is`()
        async throws
    {
        let list = AccessoryList()
        var published: [AccessoryEventKind] = []
        list.onUpdate = { if let event = $0.event { published.append(event.kind) } }
        let device = AccessoryDevice(
            kind: .bluetoothButton,
            identifier: first,
            name: "Flood",
            profile: "FFE0",
            mode: .hold,
            link: .ready,
            isPressed: false,
            remark: nil
        )
        for _ in 1...1000 {
            list.publish(AccessoryEvent(.ignored, device: device))
            list.publish(AccessoryEvent(.released, device: device))
        }
        #expect(published.count { $0 == .released } == 1000)
        // It may last longer than a second.
        #expect((1..<500).contains(published.count { $0 == .ignored }))
    }

    @EventLoop private func flood(_ fixture: AccessoryFixture) async throws {
        try await fixture.simulate("flood 2 1000")
        for _ in 1...Self.presses { try await press(fixture) }
    }

    @EventLoop private func press(_ fixture: AccessoryFixture) async throws {
        try await fixture.simulate("press 1")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("release 1")
        #expect(try await fixture.asked() == .end(first, .released))
    }

    @EventLoop private func residentKilobytes(of fixture: AccessoryFixture) throws -> Int {
        let process = try #require(fixture.accessoryd?.processID)
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }
}
