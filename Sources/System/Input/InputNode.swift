/// A device node as udev describes it. It is obtained without opening the device.
package struct InputNode: Equatable, Sendable {
    /// The kernel's name, for example `event5`. After a replug it may belong to another device.
    package var sysname: String
    /// The file to open, for example `/dev/input/event5`.
    package var devnode: String
    /// The name that the device reports. It may be empty, long, or not unique.
    package var name: String
    /// The physical location as the driver reports it: `usb-0000:00:14.0-2/input3`, `ALSA`, an adapter's
    /// address.
    package var phys = ""
    /// The device's own address or serial number, if the driver reports one.
    package var uniq = ""
    /// Bus, vendor and product numbers.
    package var id = ID()
    /// The keys that it can send, from sysfs.
    package var keys: Set<KeyCode> = []
    /// True if this process may read it now. With the tag `uaccess`, only the active session of the seat may.
    package var isReadable = true
    /// The current tags that udev's rules have set.
    package var tags: Set<String> = []
    /// udev's properties (`ID_INPUT_KEY`, `ID_SERIAL`, …), without tags and links.
    package var properties: [String: String] = [:]
    /// True if text can be typed with another node of the same USB device: this one then has the media keys
    /// of a keyboard.
    package var isBesideKeyboard = false

    /// `struct input_id` without the version. All zero for devices that have none.
    package struct ID: Hashable, Sendable {
        /// A `BUS_…` number of `linux/input.h`.
        package var bus: UInt16
        package var vendor: UInt16
        package var product: UInt16

        package init(bus: UInt16 = 0, vendor: UInt16 = 0, product: UInt16 = 0) {
            self.bus = bus
            self.vendor = vendor
            self.product = product
        }

        package static let usb: UInt16 = 0x03
        package static let bluetooth: UInt16 = 0x05
        package static let virtual: UInt16 = 0x06
    }

    /// True for a keyboard. Such a node is never opened: its reader would see every keystroke.
    ///
    /// True if udev identifies it as one (`ID_INPUT_KEYBOARD`), and also for partial keyboards that udev does
    /// not include, which have letters but lack one of Esc, the digits and Q to D.
    package var isKeyboardLike: Bool {
        properties["ID_INPUT_KEYBOARD"] == "1" || keys.canTypeText
    }

    /// True for a serial port, whose lines are its keys. Of an adapter for USB the name and the numbers are
    /// those of the USB device.
    package var isSerialPort: Bool { properties["SUBSYSTEM"] == "tty" }

    /// True for a joystick or a gamepad, which are one kind to udev. systemd lets the person at the seat read
    /// them (70-uaccess.rules).
    package var isJoystick: Bool { properties["ID_INPUT_JOYSTICK"] == "1" }

    /// True if it reports movements too, which a grab would take from every program.
    package var hasAxes: Bool { isJoystick || properties["ID_INPUT_MOUSE"] == "1" }

    /// Identifies the same node after a replug or a reboot, so that it can be stored in a configuration.
    ///
    /// Two devices of one model without serial numbers share one if udev does not know their physical
    /// location.
    package var stableIdentifier: String {
        if id.bus == ID.bluetooth, !uniq.isEmpty { return "bluetooth:\(uniq):\(name)" }
        // Adapters of one model share it if they have no serial number: then the socket counts.
        if isSerialPort, properties["ID_SERIAL_SHORT"] == nil {
            guard id.bus == ID.usb, let path = properties["ID_PATH"] else { return "port:\(sysname)" }
            return "path:\(path):\(name)"
        }
        if let serial = properties["ID_SERIAL"], !serial.isEmpty {
            // A device has a node for each interface, all with the same serial number.
            guard let interface = properties["ID_USB_INTERFACE_NUM"] else { return "serial:\(serial)" }
            return "serial:\(serial):\(interface)"
        }
        if let path = properties["ID_PATH"], !path.isEmpty { return "path:\(path):\(name)" }
        return "name:\(name):\(phys)"
    }
}
