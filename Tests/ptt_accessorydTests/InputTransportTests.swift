import AccessoryCore
import Testing

@testable import Input
@testable import ptt_accessoryd

@Suite struct InputTransportTests {
    @Test(arguments: [
        ("ALSA", UInt16(0), "sof-hda-dsp Headphone", InputTransport.jack),
        ("usb-0000:00:14.0-2/input3", 0x03, "Dock Consumer Control", .usb),
        ("00:1a:7d:da:71:13", 0x05, "Some Headset (AVRCP)", .avrcp),
        ("00:1a:7d:da:71:13", 0x05, "AB Shutter3", .bluetooth),
        ("i2c-ELAN", 0x18, "Buttons", .other),
    ])
    func `location, bus and name tell how a device is attached`(
        phys: String,
        bus: UInt16,
        name: String,
        expected: InputTransport
    ) {
        var node = InputNode(sysname: "event5", devnode: "/dev/input/event5", name: name)
        (node.phys, node.id.bus) = (phys, bus)
        #expect(node.transport == expected)
    }
}
