import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Input

/// Tests without a device. The others are in `PluggedHeadsetTests`.
@Suite struct KeyDeviceTests {
    init() { withRunningLoop() }

    private func errorOfOpening(_ node: InputNode) async -> SystemError? {
        await Task { @EventLoop () -> SystemError? in
            do throws(SystemError) {
                _ = try KeyDevice(node, keys: [.playPause]) { _ in }
                return nil
            } catch {
                return error
            }
        }.value
    }

    @Test func `a keyboard is refused before anything is opened`() async {
        // The path does not exist: opening it would be another error.
        let node = InputNode(
            sysname: "event0",
            devnode: "/dev/input/does-not-exist",
            name: "A Keyboard",
            keys: [KeyCode(rawValue: 30)]
        )
        let error = await errorOfOpening(node)
        #expect(error?.code == EPERM)
        #expect(error?.action.contains("A Keyboard") == true)
    }

    @Test func `a removed node is an error`() async {
        let node = InputNode(sysname: "event0", devnode: "/dev/input/does-not-exist", name: "A Headset")
        #expect(await errorOfOpening(node)?.code == ENOENT)
    }

    @Test func `a file that is not an event device is an error`() async {
        let node = InputNode(sysname: "null", devnode: "/dev/null", name: "Nothing")
        #expect(await errorOfOpening(node)?.code == ENOTTY)
    }
}
