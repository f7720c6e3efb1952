import Testing

@testable import Input

@Suite struct InputNodeTests {
    let headset = InputNode(
        sysname: "event7",
        devnode: "/dev/input/event7",
        name: "Some Headset",
        phys: "usb-0000:00:14.0-2/input3",
        id: .init(bus: 0x03, vendor: 0x046d, product: 0x0a87),
        keys: [.playPause]
    )

    @Test func `a headset is not a keyboard`() {
        #expect(!headset.isKeyboardLike)
    }

    @Test func `a device that udev identifies as a keyboard is one, whatever its keys`() {
        var node = headset
        node.properties["ID_INPUT_KEYBOARD"] = "1"
        #expect(node.isKeyboardLike)
    }

    @Test func `a device with one letter is a keyboard, even if udev does not identify it as one`() {
        var node = headset
        node.keys.insert(KeyCode(rawValue: 18))
        #expect(node.isKeyboardLike)
    }

    @Test func `the serial number and the interface identify a USB node`() {
        var node = headset
        node.properties = [
            "ID_SERIAL": "Maker_Headset_123", "ID_USB_INTERFACE_NUM": "03", "ID_PATH": "pci-1",
        ]
        #expect(node.stableIdentifier == "serial:Maker_Headset_123:03")
    }

    @Test func `location and name identify one of the jacks of a sound card`() {
        var node = headset
        node.properties = ["ID_PATH": "pci-0000:00:1f.3"]
        #expect(node.stableIdentifier == "path:pci-0000:00:1f.3:Some Headset")
    }

    @Test func `its own address identifies a Bluetooth device`() {
        var node = headset
        node.id.bus = InputNode.ID.bluetooth
        node.uniq = "aa:bb:cc:dd:ee:ff"
        node.properties = ["ID_PATH": "pci-0000:00:14.0-usb-0:10:1.0"]
        #expect(node.stableIdentifier == "bluetooth:aa:bb:cc:dd:ee:ff:Some Headset")
    }

    @Test func `name and physical path identify a device that udev has no properties for`() {
        #expect(headset.stableIdentifier == "name:Some Headset:usb-0000:00:14.0-2/input3")
    }

    @Test func `the identifier does not depend on the event number`() {
        var replugged = headset
        replugged.sysname = "event12"
        replugged.devnode = "/dev/input/event12"
        #expect(replugged.stableIdentifier == headset.stableIdentifier)
    }
}
