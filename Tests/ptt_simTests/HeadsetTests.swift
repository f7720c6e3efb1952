import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Input

private let hasUinput = access("/dev/uinput", W_OK) == 0

@Suite(.timeLimit(.minutes(1))) struct HeadsetTests {
    init() { withRunningLoop() }

    @Test(.enabled(if: !hasUinput, "there is a uinput here")) @EventLoop
    func `without uinput it ends with an error`() async throws {
        let simulator = try TestProcess([TestProcess.built("ptt-sim"), "headset"])
        #expect(try await simulator.exitStatus() == 1)
    }

    @Test(
        .enabled(
            if: hasUinput,
            "/dev/uinput cannot be opened here; make system-test runs this in the virtual machine"
        )
    ) @EventLoop func `its keys arrive like those of a real headset`()
        async throws
    {
        let simulator = try TestProcess([
            TestProcess.built("ptt-sim"), "headset", "--name", "PTT Sim Headset",
        ])
        let ready = try await simulator.lines.next()
        let devnode = try #require(ready.split(separator: " ").last.map(String.init))
        let node = InputNode(sysname: "headset", devnode: devnode, name: "PTT Sim Headset")
        let events = AsyncQueue(of: KeyDeviceEvent.self)
        let device = try KeyDevice(node, keys: [.playPause, .nextSong]) { events.add($0) }
        #expect(try await simulator.ask("tap") == "ok")
        #expect(try await simulator.ask("press next") == "ok")
        #expect(try await simulator.ask("unplug") == "ok")
        var seen: [String] = []
        while seen.last != "vanished" {
            switch try await events.next() {
            case .key(let event): seen.append("\(event.key) \(event.edge)")
            case .vanished: seen.append("vanished")
            case .grabbed, .grabRefused, .jackChanged, .eventsLost, .failed: break
            }
        }
        // The kernel may or may not release the key that was down before.
        seen.removeAll { $0 == "KEY_NEXTSONG released" }
        #expect(
            seen == ["KEY_PLAYPAUSE pressed", "KEY_PLAYPAUSE released", "KEY_NEXTSONG pressed", "vanished"]
        )
        #expect(try await simulator.ask("press") == "error: it is unplugged; use plug")
        #expect(try await simulator.ask("plug") == "ok")
        #expect(
            try await simulator.ask("press mute")
                == "error: there is no key mute, only play, next, up and down"
        )
        simulator.closeInput()
        #expect(try await simulator.exitStatus() == 0)
        device.close()
    }
}
