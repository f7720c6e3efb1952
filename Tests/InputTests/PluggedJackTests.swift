import EventLoop
import Input
import TestSupport
import Testing

/// With the kernel's uinput and evdev and a running udevd: as root, and in the virtual machine.
@Suite(
    .needsUinput,
    .serialized,
    .timeLimit(.minutes(1))
)
struct PluggedJackTests {
    init() { withRunningLoop() }

    private func jack(_ name: String) async throws -> PluggedHeadset {
        try await .jack(name, keys: [.playPause, .volumeUp])
    }

    @Test @EventLoop func `the jack of a sound card is known by its location`() async throws {
        let jack = try await jack("PTT Test Jack 1")
        #expect(jack.node.phys == "ALSA")
    }

    @Test @EventLoop func `pulling the plug is reported while the device stays`() async throws {
        let jack = try await jack("PTT Test Jack 2")
        try jack.headset.setJack([.headphone, .microphone])
        let reader = try Reader(jack.node)
        try jack.headset.setJack([])
        // The switch of the headphone, and that of the microphone.
        #expect(try await reader.next() == .jackChanged)
        #expect(try await reader.next() == .jackChanged)
        // The hook key of the next plug still arrives.
        try jack.headset.press(.playPause)
        #expect(try await reader.nextKey().edge == .pressed)
    }

    @Test @EventLoop func `a key that the pulled plug held down is released after the change`() async throws {
        let jack = try await jack("PTT Test Jack 3")
        try jack.headset.setJack([.headphone, .microphone])
        let reader = try Reader(jack.node)
        try jack.headset.press(.playPause)
        try jack.headset.setJack([])
        try jack.headset.release(.playPause)
        #expect(try await reader.nextKey().edge == .pressed)
        #expect(try await reader.next() == .jackChanged)
        #expect(try await reader.next() == .jackChanged)
        #expect(try await reader.nextKey().edge == .released)
    }

    @Test @EventLoop func `a plug that was pulled among lost events is reported`() async throws {
        let jack = try await jack("PTT Test Jack 4")
        try jack.headset.setJack([.headphone, .microphone])
        let reader = try Reader(jack.node)
        // This test blocks the loop, so that nothing reads and the kernel's buffer overflows.
        try jack.headset.setJack([])
        for _ in 0..<1000 { try jack.tap(.playPause) }
        #expect(try await reader.next() == .eventsLost)
        #expect(try await reader.next() == .jackChanged)
        #expect(try await reader.next() == .jackChanged)
    }
}
