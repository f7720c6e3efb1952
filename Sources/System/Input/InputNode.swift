/// A device node as udev describes it. Reading this opens nothing.
package struct InputNode: Equatable, Sendable {
    /// The kernel's name, `event5` for example. It may be another device after a replug.
    package var sysname: String
    /// The file to open, `/dev/input/event5` for example.
    package var devnode: String
    /// What the device calls itself. Comes from the device: it may be empty, long, or not unique.
    package var name: String
    /// Where it is attached, in the driver's words: `usb-0000:00:14.0-2/input3`, `ALSA`, an adapter's address.
    package var phys: String
    /// The device's own address or serial number, where the driver tells one.
    package var uniq: String
    /// Bus, vendor and product numbers.
    package var id: ID
    /// The keys it can send, from sysfs.
    package var keys: KeyBits
    /// Whether this process may read it now. With the tag `uaccess` it follows the active session at the seat.
    package var isReadable: Bool
    /// What udev's rules marked it with.
    package var tags: Set<String>
    /// udev's properties: `ID_INPUT_KEY`, `ID_SERIAL`, … Without the tags and the links.
    package var properties: [String: String]

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
    }

    package init(
        sysname: String,
        devnode: String,
        name: String,
        phys: String = "",
        uniq: String = "",
        id: ID = ID(),
        keys: KeyBits = KeyBits(),
        isReadable: Bool = true,
        tags: Set<String> = [],
        properties: [String: String] = [:]
    ) {
        self.sysname = sysname
        self.devnode = devnode
        self.name = name
        self.phys = phys
        self.uniq = uniq
        self.id = id
        self.keys = keys
        self.isReadable = isReadable
        self.tags = tags
        self.properties = properties
    }

    /// Whether somebody could type on it. Such a node is never opened: its reader would see every keystroke.
    ///
    /// True if udev says so (`ID_INPUT_KEYBOARD`), and also for the partial keyboards that udev does not
    /// count, which lack one of Esc, the digits and Q to D but have letters.
    package var isKeyboardLike: Bool {
        properties["ID_INPUT_KEYBOARD"] == "1" || keys.canTypeText
    }

    /// Names the same node again after a replug or a reboot, to be kept in a configuration.
    ///
    /// Two devices of one model without serial numbers have the same one if udev knows no place for them.
    package var stableIdentifier: String {
        if id.bus == ID.bluetooth, !uniq.isEmpty { return "bluetooth:\(uniq):\(name)" }
        if let serial = properties["ID_SERIAL"], !serial.isEmpty {
            // One device has a node for each interface, all with the same serial.
            guard let interface = properties["ID_USB_INTERFACE_NUM"] else { return "serial:\(serial)" }
            return "serial:\(serial):\(interface)"
        }
        if let path = properties["ID_PATH"], !path.isEmpty { return "path:\(path):\(name)" }
        return "name:\(name):\(phys)"
    }
}
