import PTTMessages
import TestSupport
import Testing

@testable import AccessoryCore
@testable import Input
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
            keys: Set(keys),
            properties: properties,
            isBesideKeyboard: isBesideKeyboard
        )
    }

    private static func definition(_ identifier: String, _ code: UInt16, _ transport: InputTransport)
        -> AccessoryDefinition
    {
        AccessoryDefinition(
            identifier: identifier,
            name: identifier,
            confidence: .verified,
            match: AccessoryMatch(transports: [transport]),
            input: .keys(KeyInput(meanings: [code: .button(.talk)]))
        )
    }

    private let usb = Self.definition("usb", KeyCode.playPause.rawValue, .usb)
    private let other = Self.definition("other", KeyCode.nextSong.rawValue, .usb)
    private let letters = (16...38).map { KeyCode(rawValue: $0) }

    private func use(_ node: InputNode, _ consent: InputConsent = .given()) -> InputUse {
        let entries = [usb, other].map { AccessoryCatalog.Entry($0, path: "", folder: 0) }
        return node.use(AccessoryCatalog(entries), consent)
    }

    private func settings(of use: InputUse) throws -> InputSettings {
        guard case .used(let settings) = use else { throw NotUsed() }
        return settings
    }

    private struct NotUsed: Error {}

    @Test func `a node is used as the file says that has one of its keys`() throws {
        #expect(try settings(of: use(node())).definition == usb)
        #expect(use(node(keys: [.volumeUp])) == .ignored)
    }

    @Test(arguments: [true, false])
    func `the file and the mode that a person chooses count, also while the device is enrolled`(
        isCandidate: Bool
    ) throws {
        let identity = try #require(DeviceIdentity("name:Some Device:"))
        let enrolment = Enrolment(identity, accessory: "other", mode: .toggle)
        let permission = isCandidate ? EnrolledDevices.notEnrolled : .given
        let consent = InputConsent.given(enrolment, permission: permission)
        let settings = try settings(of: use(node(keys: [.playPause, .nextSong]), consent))
        #expect(settings.definition == other)
        #expect(settings.enrolment == enrolment)
        #expect(settings.permission == permission)
    }

    @Test
    func `a device without consent is listed with the reason, and one that is being enrolled begins nothing`()
        throws
    {
        let identity = try #require(DeviceIdentity("name:Some Device:"))
        #expect(use(node(), .missing(reason: "no")) == .unused(reason: "no"))
        let candidate = use(node(), .given(Enrolment(identity), permission: EnrolledDevices.notEnrolled))
        let withheld = Permission.withheld(reason: "not enrolled yet", cause: .stopped)
        #expect(try settings(of: candidate).permission == withheld)
    }

    @Test func `a marked node that has no key to talk with is listed with the reason`() {
        let marked = node(keys: [.volumeUp], properties: ["ID_PTT_MARKED": "1"])
        #expect(use(marked) == .unused(reason: "no accessory file has one of its keys"))
    }

    @Test func `a marked keyboard is listed with what to do`() {
        let reason =
            "it calls itself a keyboard, which is never opened; for one key of a pedal: "
            + "sudo pttctl grant 1a86:0e26 KEY"
        #expect(use(node(keys: letters, properties: ["ID_PTT_MARKED": "1"])) == .unused(reason: reason))
        #expect(use(node(keys: letters)) == .ignored)
    }

    @Test func `a keyboard is used only with a key that root granted and that it has, and holds to talk`()
        throws
    {
        let pedal = node(keys: letters, properties: ["ID_INPUT_KEYBOARD": "1", "ID_PTT_KEY": "KEY_A"])
        let definition = try settings(of: use(pedal)).definition
        #expect(definition.keys == [30])
        #expect(definition.gesture.mode == .hold)
        #expect(pedal.origin(named: nil).kind == .inputDevice)
        #expect(use(node(properties: ["ID_PTT_KEY": "KEY_A"])) == .ignored)
        #expect(
            use(node(keys: letters, properties: ["ID_PTT_KEY": "KEY_NONE_SUCH"]))
                == .unused(reason: "KEY_NONE_SUCH is granted, but there is no such key")
        )
    }

    @Test(
        arguments: [
            ("function-keys", "KEY_F15", KeyInput.Meaning.button(.emergency)),
            ("ab-shutter", "KEY_VOLUMEUP", .tap(.talk)), ("foot-pedal", "KEY_A", .button(.secondTalk)),
        ]
    )
    func `a granted key is the button that the file of its device says`(
        file: String,
        key: String,
        meaning: KeyInput.Meaning
    ) throws {
        let code = try #require(KeyCode(name: key))
        var granted = node(keys: letters + [code], properties: ["ID_PTT_KEY": key])
        switch file {
        case "ab-shutter": (granted.name, granted.id.bus) = ("AB Shutter3", InputNode.ID.bluetooth)
        case "foot-pedal": granted.id.product = 0xe026
        default: break
        }
        let definition = try settings(of: granted.use(try ShippedAccessories.catalog(), .given()))
            .definition
        #expect(definition.identifier == file)
        #expect(definition.input == .keys(KeyInput(meanings: [code.rawValue: meaning])))
    }

    @Test func `a granted key whose release is another key is one to hold`() throws {
        let code = try #require(KeyCode(name: "KEY_PICKUP_PHONE"))
        let phone = node(keys: [code], properties: ["ID_PTT_KEY": "KEY_PICKUP_PHONE"])
        let definition = try settings(of: phone.use(try ShippedAccessories.catalog(), .given())).definition
        #expect(definition.input == .keys(KeyInput(meanings: [code.rawValue: .button(.talk)])))
        #expect(definition.gesture.mode == .hold)
    }

    @Test func `the media keys of a keyboard with sound are not used unless they are marked`() throws {
        #expect(use(node(isBesideKeyboard: true)) == .ignored)
        let marked = node(properties: ["ID_PTT_MARKED": "1"], isBesideKeyboard: true)
        #expect(try settings(of: use(marked)).definition == usb)
    }

    @Test func `a joystick is used only with the button that was enrolled, and holds to talk`() throws {
        let trigger = try #require(KeyCode(name: "BTN_TRIGGER"))
        var stick = node(keys: [trigger, .playPause], properties: ["ID_INPUT_JOYSTICK": "1"])
        #expect(stick.needsEnrolment)
        #expect(stick.origin(named: nil).kind == .inputDevice)
        #expect(use(stick, .missing(reason: "no")) == .unused(reason: "no"))
        let identity = try #require(stick.identity)
        let enrolment = Enrolment(identity, key: trigger.rawValue)
        let settings = try settings(of: use(stick, .given(enrolment)))
        #expect(settings.definition.keys == [trigger.rawValue])
        #expect(settings.definition.gesture.mode == .hold)
        stick.keys = [.playPause]
        #expect(use(stick, .given(enrolment)) == .unused(reason: "it has no BTN_TRIGGER"))
        stick.keys = Set(letters + [trigger])
        #expect(use(stick, .given(enrolment)) == .ignored)
    }

    private var port: InputNode {
        InputNode(
            sysname: "ttyUSB0",
            devnode: "/dev/ttyUSB0",
            name: "FT232R USB UART",
            id: .init(bus: InputNode.ID.usb, vendor: 0x0403, product: 0x6001),
            properties: ["SUBSYSTEM": "tty", "ID_PTT_KEY": "serial", "ID_PATH": "pci-0-usb-0:2:1.0"]
        )
    }

    @Test
    func `a serial port that root granted is opened only for the line that was enrolled, and holds to talk`()
        throws
    {
        #expect(port.needsEnrolment && port.hasHeldKeys)
        #expect(port.origin(named: nil).kind == .inputDevice)
        #expect(use(port, .missing(reason: "no")) == .unused(reason: "no"))
        let identity = try #require(port.identity)
        for line in SerialLine.allCases {
            let code = try #require(Enrolment.keyCode(of: line.name))
            #expect(line.key.rawValue == code && Enrolment.keyName(of: code) == "\(line.key)")
            let definition = try settings(of: use(port, .given(Enrolment(identity, key: code)))).definition
            #expect(definition.keys == [code])
            #expect(definition.gesture.mode == .hold)
        }
        #expect(
            use(port, .given(Enrolment(identity, key: 0x120))) == .unused(reason: "it has no BTN_TRIGGER")
        )
        let reason = "no line of it is enrolled: forget it, and pair it again"
        #expect(use(port, .given(Enrolment(identity))) == .unused(reason: reason))
        let candidate = InputConsent.given(Enrolment(identity), permission: EnrolledDevices.notEnrolled)
        #expect(use(port, candidate) == .unused(reason: reason))
        #expect(
            use(node(), .given(Enrolment(identity, key: SerialLine.clearToSend.key.rawValue)))
                == .unused(reason: "it has no CTS")
        )
    }

    @Test func `a serial port without a serial number is known by its socket`() {
        var port = port
        port.properties["ID_SERIAL"] = "FTDI_FT232R_USB_UART"
        #expect(port.stableIdentifier == "path:pci-0-usb-0:2:1.0:FT232R USB UART")
        port.properties["ID_SERIAL_SHORT"] = "A50285BI"
        port.properties["ID_SERIAL"] = "FTDI_FT232R_USB_UART_A50285BI"
        port.properties["ID_USB_INTERFACE_NUM"] = "00"
        #expect(port.stableIdentifier == "serial:FTDI_FT232R_USB_UART_A50285BI:00")
        let builtIn = InputNode(
            sysname: "ttyS0",
            devnode: "/dev/ttyS0",
            name: "",
            properties: ["SUBSYSTEM": "tty", "ID_PATH": "platform-serial8250"]
        )
        #expect(builtIn.stableIdentifier == "port:ttyS0")
        #expect(builtIn.origin(named: nil).name == "ttyS0")
    }

    /// The halves that ptt-keys makes, and another device that is divided.
    private func halves(of sysname: String) -> [InputNode] {
        let shapes: [(String, String, [KeyCode])] = [
            ("event9", "split/few/event6/usb-1", [.volumeDown]),
            ("event8", "split/rest/\(sysname)/usb-0", [.volumeUp, .volumeDown]),
            ("event7", "split/few/\(sysname)/usb-0", [.playPause]),
        ]
        return shapes.map { name, phys, keys in
            var half = node(keys: keys)
            (half.sysname, half.devnode, half.phys) = (name, "/dev/input/\(name)", phys)
            return half
        }
    }

    @Test func `of a divided device each key is read at the half that has it`() {
        let device = node(keys: [.playPause, .volumeUp, .volumeDown])
        let halves = halves(of: device.sysname)
        func sources(_ keys: [KeyCode], among halves: [InputNode]) -> [String] {
            device.sources(of: Set(keys.map(\.rawValue)), among: halves).map(\.sysname)
        }
        #expect(sources([.playPause], among: halves) == ["event7"])
        #expect(sources([.volumeDown], among: halves) == ["event8"])
        // A file may name keys of both.
        #expect(sources([.volumeUp, .playPause], among: halves) == ["event7", "event8"])
        // udev has not announced the other half yet, or the device is not divided.
        #expect(sources([.volumeDown], among: [halves[2]]) == [device.sysname])
        #expect(sources([.playPause], among: []) == [device.sysname])
    }

    @Test func `the keys of a divided device are found and learned at both halves`() {
        let device = node()
        #expect(device.sources(among: halves(of: device.sysname)).map(\.sysname) == ["event7", "event8"])
        #expect(device.sources(among: halves(of: "event4")) == [device])
    }

    @Test func `a key to hold is one of a joystick or a USB device, never of a keyboard or a jack`() {
        #expect(node().hasHeldKeys)
        #expect(!node(isBesideKeyboard: true).hasHeldKeys)
        #expect(!node(keys: letters, properties: ["ID_INPUT_JOYSTICK": "1"]).hasHeldKeys)
        #expect(!node(properties: ["ID_PTT_KEY": "KEY_A"]).hasHeldKeys)
        var other = node()
        other.phys = "ALSA"
        #expect(!other.hasHeldKeys)
        (other.phys, other.id.bus) = ("", InputNode.ID.bluetooth)
        #expect(!other.hasHeldKeys)
        other.properties = ["ID_INPUT_JOYSTICK": "1"]
        #expect(other.hasHeldKeys)
    }

    @Test func `only what is plugged in, marked or granted needs no enrolment`() {
        var node = node()
        #expect(!node.needsEnrolment)
        node.phys = "ALSA"
        #expect(!node.needsEnrolment)
        (node.phys, node.id.bus) = ("00:1b:dc:00:00:01", InputNode.ID.bluetooth)
        #expect(node.needsEnrolment)
        node.properties = ["ID_PTT_MARKED": "1"]
        #expect(!node.needsEnrolment)
        node.properties = ["ID_PTT_KEY": "KEY_A"]
        #expect(!node.needsEnrolment)
        node.properties = [:]
        node.name = "Some Headset (AVRCP)"
        #expect(node.needsEnrolment)
    }

    @Test func `a press of a Bluetooth headset's remote control is not that of a wired headset`() {
        var avrcp = node()
        (avrcp.name, avrcp.id.bus) = ("Some Headset (AVRCP)", InputNode.ID.bluetooth)
        let origin = avrcp.origin(named: nil, identifier: "00:1B:DC:00:00:77")
        #expect(
            origin == Origin(kind: .bluetoothHeadset, identifier: "00:1B:DC:00:00:77", name: "Some Headset")
        )
        #expect(origin.name == "Some Headset")
        #expect(node().origin(named: "My pedal").name == "My pedal")
    }
}
