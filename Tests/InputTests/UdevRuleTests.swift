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

    /// The names are those of `Tests/SystemTests/guest/61-device-shapes.rules`.
    @Test(arguments: [
        // A headset or a dock with sound, a headset with a boot mouse.
        "PTT :010100:010200:030000:", "PTT :030000:010120:010220:", "PTT :010100:010200:030102:",
    ])
    @EventLoop func `the keys of a USB device with sound are tagged`(name: String) async throws {
        let plugged = try await PluggedHeadset(name, tag: Self.tag)
        #expect(plugged.node.tags.isSuperset(of: [Self.tag, "uaccess", "systemd"]))
        #expect(plugged.node.properties["ID_PTT_MARKED"] == nil)
    }

    @Test(arguments: [KeyCode(rawValue: 0x100), .playPause])
    @EventLoop func `a jack is tagged whichever number its button has`(key: KeyCode) async throws {
        let plugged = try await PluggedHeadset(
            "PTT Rule Jack",
            keys: [key],
            jack: [.headphone, .microphone],
            id: .init(),
            phys: "ALSA",
            tag: Self.tag
        )
        #expect(plugged.node.tags.isSuperset(of: [Self.tag, "uaccess", "systemd"]))
    }

    @Test @EventLoop func `a jack without a button is not tagged`() async throws {
        let plugged = try await PluggedHeadset(
            "PTT Rule Jack",
            keys: [],
            jack: [.headphone],
            id: .init(),
            phys: "ALSA"
        )
        #expect(plugged.node.tags.isDisjoint(with: [Self.tag, "uaccess", "systemd"]))
    }

    @Test @EventLoop func `a keyboard with a key that root granted is tagged`() async throws {
        let plugged = try await PluggedHeadset("PTT grant KEY_F13 pedal", keys: Self.typing, tag: Self.tag)
        #expect(plugged.node.tags.isSuperset(of: [Self.tag, "uaccess", "systemd"]))
        #expect(plugged.node.properties["ID_PTT_KEY"] == "KEY_F13")
    }

    @Test @EventLoop func `a keyboard that is only marked is listed but stays shut`() async throws {
        let plugged = try await PluggedHeadset("PTT marked keyboard", keys: Self.typing, tag: Self.tag)
        #expect(plugged.node.properties["ID_PTT_MARKED"] == "1")
        #expect(plugged.node.tags.isDisjoint(with: ["uaccess", "systemd"]))
    }

    @Test(arguments: ["few", "rest"])
    @EventLoop func `both halves of a divided headset are tagged`(part: String) async throws {
        let plugged = try await PluggedHeadset(
            "PTT Rule Half",
            phys: "split/\(part)/event999/usb-0",
            tag: Self.tag
        )
        #expect(plugged.node.tags.isSuperset(of: [Self.tag, "uaccess", "systemd"]))
    }

    @Test(arguments: [
        ("PTT Rule Half", Self.typing), ("PTT grant KEY_F13 half", VirtualDevice.usualKeys),
    ])
    @EventLoop func `what remains of a divided keyboard, or beside a granted key, is not tagged`(
        name: String,
        keys: Set<KeyCode>
    ) async throws {
        let plugged = try await PluggedHeadset(name, keys: keys, phys: "split/rest/event999/usb-0")
        #expect(plugged.node.tags.isDisjoint(with: [Self.tag, "uaccess", "systemd"]))
    }

    @Test @EventLoop func `a marked device without keys is tagged, so that the reason can be listed`()
        async throws
    {
        let plugged = try await PluggedHeadset("PTT marked jack", keys: [], jack: [.lineOut], tag: Self.tag)
        #expect(plugged.node.properties["ID_PTT_MARKED"] == "1")
    }

    @Test(arguments: [
        ("PTT Rule Joystick", ["BTN_TRIGGER", "BTN_THUMB"], true),
        ("PTT grant BTN_SIDE mouse", ["BTN_LEFT", "BTN_SIDE"], false),
    ])
    @EventLoop func `a joystick, and a mouse with a button that root granted, are tagged`(
        name: String,
        buttons: [String],
        isJoystick: Bool
    ) async throws {
        let keys = Set(buttons.compactMap { KeyCode(name: $0) })
        let plugged = try await PluggedHeadset(name, keys: keys, axes: [0, 1], tag: Self.tag)
        #expect(plugged.node.tags.isSuperset(of: [Self.tag, "uaccess", "systemd"]))
        #expect(plugged.node.hasAxes && plugged.node.isJoystick == isJoystick)
    }

    @Test @EventLoop func `any other mouse is not tagged`() async throws {
        let keys = Set(["BTN_LEFT", "BTN_SIDE"].compactMap { KeyCode(name: $0) })
        for name in ["PTT Rule Headset Mouse", "PTT grant KEY_F13 mouse", "PTT marked mouse"] {
            let plugged = try await PluggedHeadset(name, keys: keys, axes: [0, 1])
            #expect(plugged.node.tags.isDisjoint(with: [Self.tag, "uaccess", "systemd"]), "\(name)")
        }
    }

    @Test(arguments: [
        ("PTT Rule Headset Keyboard", Self.typing),
        ("PTT Rule Remote Control", VirtualDevice.usualKeys),
        // MIDI, with a mixer's keys; a boot keyboard with sound, its media keys.
        ("PTT :010100:010300:030000:", VirtualDevice.usualKeys),
        ("PTT :010100:010200:030101:030000:", VirtualDevice.usualKeys),
        ("PTT :030000:", VirtualDevice.usualKeys),
    ])
    @EventLoop func `a keyboard, a remote control and a MIDI device are not tagged`(
        name: String,
        keys: Set<KeyCode>
    )
        async throws
    {
        let plugged = try await PluggedHeadset(name, keys: keys)
        #expect(plugged.node.properties["ID_PTT_ACCESSORY"] == nil)
        #expect(plugged.node.properties["SYSTEMD_USER_WANTS"] == nil)
        #expect(plugged.node.tags.isDisjoint(with: [Self.tag, "uaccess", "systemd"]))
    }
}
