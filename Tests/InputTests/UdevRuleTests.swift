import EventLoop
import Glibc
import Input
import TestSupport
import Testing

private let rule = "/usr/lib/udev/rules.d/71-push-to-talk.rules"

/// The effect of the installed udev rule, where it is installed and uinput can be opened.
@Suite(
    .enabled(
        if: access("/dev/uinput", W_OK) == 0 && access(rule, R_OK) == 0,
        "there is no uinput or no installed rule here; make system-test runs this in the virtual machine"
    ),
    .serialized,
    .timeLimit(.minutes(1))
)
struct UdevRuleTests {
    init() { withRunningLoop() }

    private static let tag = "push-to-talk"

    /// Every letter, digit and modifier of a keyboard.
    private static let typing = Set((1...88).map { KeyCode(rawValue: $0) })

    @Test @EventLoop func `a headset is found by its tag, and its removal is reported`() async throws {
        let plugged = try await PluggedHeadset("PTT Rule Headset", tag: Self.tag)
        #expect(plugged.node.tags.isSuperset(of: [Self.tag, "uaccess", "systemd"]))
        #expect(plugged.node.properties["ID_PTT_ACCESSORY"] == "1")
        #expect(
            plugged.node.properties["SYSTEMD_USER_WANTS"]?.contains("ptt-accessoryd.service") == true
        )
        plugged.headset.remove()
        #expect(try await plugged.nextDeviceEvent() == .removed(plugged.node))
    }

    @Test(arguments: [
        ("PTT Rule Headset Keyboard", Self.typing),
        ("PTT Rule Remote Control", VirtualHeadset.usualKeys),
    ])
    @EventLoop func `a keyboard and a remote control are not tagged`(name: String, keys: Set<KeyCode>)
        async throws
    {
        let plugged = try await PluggedHeadset(name, keys: keys)
        #expect(plugged.node.properties["ID_PTT_ACCESSORY"] == nil)
        #expect(plugged.node.properties["SYSTEMD_USER_WANTS"] == nil)
        #expect(plugged.node.tags.isDisjoint(with: [Self.tag, "uaccess", "systemd"]))
    }
}
