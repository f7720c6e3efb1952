import EventLoop
import Glibc
import Input
import TestSupport
import Testing

/// With the kernel's uinput and evdev and a running udevd: as root, and in the virtual machine.
@Suite(
    .needsUinput,
    .serialized,
    .timeLimit(.minutes(1))
)
struct GrabTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `other readers of a grabbed headset receive nothing until it is ungrabbed`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Grab Headset 1")
        let ours = try Reader(plugged.node)
        let other = try Reader(plugged.node, keys: [.playPause, .nextSong])
        ours.device.grab()
        #expect(try await ours.next() == .grabbed)
        try plugged.tap(.playPause)
        #expect(try await ours.nextKey().edge == .pressed)
        #expect(try await ours.nextKey().edge == .released)
        ours.device.ungrab()
        try plugged.tap(.nextSong)
        // The first event of the other reader is the key after the grab.
        #expect(try await other.nextKey().key == .nextSong)
    }

    @Test @EventLoop func `the grab waits until every key is up, so that other readers receive each release`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Grab Headset 2")
        let ours = try Reader(plugged.node)
        let other = try Reader(plugged.node, keys: [.volumeUp, .volumeDown])
        try plugged.headset.press(.volumeUp)
        try plugged.headset.press(.volumeDown)
        ours.device.grab()
        #expect(ours.device.grabState == .waiting)
        try plugged.headset.release(.volumeUp)
        // Our key still works meanwhile; when it arrives, the earlier release has been handled.
        try plugged.tap(.playPause)
        #expect(try await ours.nextKey().edge == .pressed)
        #expect(try await ours.nextKey().edge == .released)
        #expect(ours.device.grabState == .waiting)
        try plugged.headset.release(.volumeDown)
        #expect(try await ours.next() == .grabbed)
        var seen: [KeyEvent.Edge] = []
        for _ in 0..<4 { seen.append(try await other.nextKey().edge) }
        #expect(seen == [.pressed, .pressed, .released, .released])
    }

    @Test @EventLoop func `a waiting grab can be cancelled`() async throws {
        let plugged = try await PluggedHeadset("PTT Grab Headset 3")
        let ours = try Reader(plugged.node)
        try plugged.headset.press(.volumeUp)
        ours.device.grab()
        ours.device.ungrab()
        #expect(ours.device.grabState == .off)
        try plugged.headset.release(.volumeUp)
        try plugged.tap(.playPause)
        #expect(try await ours.nextKey().edge == .pressed)
        #expect(ours.device.grabState == .off)
    }

    @Test @EventLoop func `a grab that another program holds is refused, and the keys still arrive`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Grab Headset 4")
        let first = try Reader(plugged.node)
        let second = try Reader(plugged.node)
        first.device.grab()
        #expect(try await first.next() == .grabbed)
        second.device.grab()
        guard case .grabRefused(let error) = try await second.next() else {
            Issue.record("the second grab was not refused")
            return
        }
        #expect(error.code == EBUSY)
        first.device.close()
        try plugged.tap(.playPause)
        #expect(try await second.nextKey().edge == .pressed)
    }

    @Test @EventLoop func `a key held during the request for a grab stays held, and its release arrives`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT Grab Headset 5")
        let ours = try Reader(plugged.node)
        try plugged.headset.press(.playPause)
        #expect(try await ours.nextKey().edge == .pressed)
        ours.device.grab()
        try plugged.headset.release(.playPause)
        #expect(try await ours.nextKey().edge == .released)
        #expect(try await ours.next() == .grabbed)
    }

    @Test @EventLoop func `unplugging a grabbed headset is reported once`() async throws {
        let plugged = try await PluggedHeadset("PTT Grab Headset 6")
        let ours = try Reader(plugged.node)
        ours.device.grab()
        #expect(try await ours.next() == .grabbed)
        plugged.headset.remove()
        #expect(try await ours.next() == .vanished)
        #expect(ours.device.grabState == .off)
    }
}
