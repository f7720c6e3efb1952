import Input
import PTTMessages
import Testing

@testable import ptt_accessoryd

/// Which of the nodes that udev tags are used, and what is listed of the others.
@Suite struct InputNodeUseTests {
    private func node(
        keys: [KeyCode] = [.playPause],
        properties: [String: String] = [:],
        isBesideKeyboard: Bool = false
    ) -> InputNode {
        InputNode(
            sysname: "event5",
            devnode: "/dev/input/event5",
            name: "Some Device",
            id: .init(bus: InputNode.ID.usb, vendor: 0x1a86, product: 0x0e26),
            keys: KeyBits(keys),
            properties: properties,
            isBesideKeyboard: isBesideKeyboard
        )
    }

    private let letters = (16...38).map { KeyCode(rawValue: $0) }

    private func use(_ node: InputNode) -> InputNode.Use { node.use(of: [.playPause]) }

    @Test func `a node with our key is used, one without is not listed`() {
        #expect(use(node()) == .used)
        #expect(use(node(keys: [.volumeUp])) == .ignored)
    }

    @Test func `a node that a person marked but that has no key is listed with the reason`() {
        let marked = node(keys: [.volumeUp], properties: ["ID_PTT_MARKED": "1"])
        #expect(use(marked) == .unused(reason: "it has no key to talk with"))
    }

    @Test func `a keyboard that a person marked is listed with what to do`() {
        let reason =
            "it calls itself a keyboard, which is never opened; for one key of a pedal: "
            + "sudo pttctl grant 1a86:0e26 KEY"
        #expect(use(node(keys: letters, properties: ["ID_PTT_MARKED": "1"])) == .unused(reason: reason))
        #expect(use(node(keys: letters)) == .ignored)
    }

    @Test func `a keyboard is used only with a key that root granted and that it has`() {
        let pedal = node(keys: letters, properties: ["ID_INPUT_KEYBOARD": "1", "ID_PTT_KEY": "KEY_A"])
        #expect(use(pedal) == .used)
        #expect(pedal.grantedKey == KeyCode(rawValue: 30))
        #expect(pedal.origin.kind == .inputDevice)
        #expect(use(node(properties: ["ID_PTT_KEY": "KEY_A"])) == .ignored)
        #expect(
            use(node(keys: letters, properties: ["ID_PTT_KEY": "KEY_NONE_SUCH"]))
                == .unused(reason: "KEY_NONE_SUCH is granted, but there is no such key")
        )
    }

    @Test func `the media keys of a keyboard with sound are not used unless a person marked them`() {
        #expect(use(node(isBesideKeyboard: true)) == .ignored)
        #expect(use(node(properties: ["ID_PTT_MARKED": "1"], isBesideKeyboard: true)) == .used)
    }

    @Test func `a press of a Bluetooth headset's remote control is not that of a wired headset`() {
        var avrcp = node()
        (avrcp.name, avrcp.id.bus) = ("Some Headset (AVRCP)", InputNode.ID.bluetooth)
        #expect(avrcp.origin.kind == .bluetoothHeadset)
        #expect(node().origin.kind == .wiredHeadset)
    }
}
