/// The devices that an accessory file is about. All keys that it has must hold; the values of a list are
/// alternatives.
package struct AccessoryMatch: Equatable, Sendable {
    /// GATT services, or SDP service classes.
    package internal(set) var services: [GattUUID] = []
    /// The name that the device itself has (`Name` of org.bluez.Device), never the alias that people edit. A
    /// `*` at the begin or the end matches any text; upper and lower case are equal.
    package internal(set) var names: [String] = []
    /// Names of devices that must not be taken for it.
    package internal(set) var excludedNames: [String] = []
    /// Bluetooth addresses; a final `*` matches any rest.
    package internal(set) var addresses: [String] = []
    /// Vendor and product of an input device.
    package internal(set) var products: [ProductID] = []
    /// The ways in which an input device may be attached. Empty: in any way.
    package internal(set) var transports: [InputTransport] = []
    /// Names that suggest it while the services of the device are unknown, for a scan. They never decide.
    package internal(set) var hints: [String] = []
}

/// The vendor and the product number of an input device (`struct input_id`).
package struct ProductID: Hashable, Sendable {
    package let vendor: UInt16
    package let product: UInt16

    package init(vendor: UInt16, product: UInt16) {
        self.vendor = vendor
        self.product = product
    }
}

/// The way in which an input device is attached.
package enum InputTransport: String, CaseIterable, Codable, Sendable {
    /// The jack of a sound card, with a 3.5 mm plug.
    case jack
    /// HID over USB.
    case usb
    /// The remote control profile of a Bluetooth headset; BlueZ makes the device.
    case avrcp
    /// HID over Bluetooth.
    case bluetooth
    case other
}

/// The facts that are known of a device when an accessory file is chosen for it.
package struct DeviceDescription: Equatable, Sendable {
    package enum Link: Equatable, Sendable {
        case bluetooth(address: String, services: Set<GattUUID>)
        case input(InputTransport, ProductID, keys: Set<UInt16>)
    }

    package let name: String?
    package let link: Link

    package init(name: String?, link: Link) {
        self.name = name
        self.link = link
    }
}
