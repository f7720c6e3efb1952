/// The messages of `org.pushtotalk.Accessory`, ptt-accessoryd's socket. ``AccessoryInterface/description`` says what each means.
package enum AccessoryInterface {
    package static let name = "org.pushtotalk.Accessory"

    package static let getDevices = InterfaceMethod<NoParameters, DevicesReply>("GetDevices", of: name)
    package static let subscribe = InterfaceMethod<NoParameters, Update>("Subscribe", of: name)
    package static let scan = InterfaceMethod<ScanRequest, ScanReply>("Scan", of: name)
    package static let pair = InterfaceMethod<AddressRequest, PairReply>("Pair", of: name)
    package static let forget = InterfaceMethod<AddressRequest, NoParameters>("Forget", of: name)

    package struct DevicesReply: Equatable, Codable, Sendable {
        package let devices: [AccessoryDevice]
        package let isCoreConnected: Bool

        package init(devices: [AccessoryDevice], isCoreConnected: Bool) {
            self.devices = devices
            self.isCoreConnected = isCoreConnected
        }
    }

    /// One answer of `Subscribe`: all devices in the first, an event in each that follows.
    package struct Update: Equatable, Codable, Sendable {
        package let sequence: Int
        /// Microseconds of the monotonic clock.
        package let time: Int
        package let devices: [AccessoryDevice]?
        package let event: AccessoryEvent?

        package init(sequence: Int, time: Int, devices: [AccessoryDevice]?, event: AccessoryEvent?) {
            self.sequence = sequence
            self.time = time
            self.devices = devices
            self.event = event
        }
    }

    package struct ScanRequest: Equatable, Codable, Sendable {
        /// 1 to 120.
        package let seconds: Int

        package init(seconds: Int) {
            self.seconds = seconds
        }
    }

    /// One answer of `Scan`; the last has no device.
    package struct ScanReply: Equatable, Codable, Sendable {
        package let device: Discovery?

        package init(device: Discovery?) {
            self.device = device
        }
    }

    /// A device that a scan found, or found again.
    package struct Discovery: Equatable, Codable, Sendable {
        package let address: String
        package let name: String
        /// Signal strength in dBm, if known.
        package let rssi: Int?
        /// The accessory profile that its advertised services or name fit, if any. Many buttons tell it only when connected.
        package let profile: String?
        package let isPaired: Bool

        package init(address: String, name: String, rssi: Int?, profile: String?, isPaired: Bool) {
            self.address = address
            self.name = name
            self.rssi = rssi
            self.profile = profile
            self.isPaired = isPaired
        }
    }

    package struct AddressRequest: Equatable, Codable, Sendable {
        /// A Bluetooth address, `AA:BB:CC:DD:EE:FF`.
        package let address: String

        package init(address: String) {
            self.address = address
        }
    }

    package struct PairReply: Equatable, Codable, Sendable {
        package let device: AccessoryDevice

        package init(device: AccessoryDevice) {
            self.device = device
        }
    }

    /// The errors of the interface; each carries a `reason` for people.
    package static let bluetoothUnavailable = "org.pushtotalk.Accessory.BluetoothUnavailable"
    package static let deviceNotFound = "org.pushtotalk.Accessory.DeviceNotFound"
    package static let pairingFailed = "org.pushtotalk.Accessory.PairingFailed"
    package static let lagged = "org.pushtotalk.Accessory.SubscriberLagged"
}

/// How a button works the transmission.
package enum ButtonMode: String, WireEnum {
    case unknown
    /// Talk while it is held.
    case hold
    /// One press begins, the next ends.
    case toggle
}

/// How far a device is from being heard.
package enum LinkState: String, WireEnum {
    case unknown
    /// Not connected: asleep, out of range or switched off.
    case away
    /// Connected; its services are being looked up or subscribed to.
    case connecting
    /// A press will be heard.
    case ready
    /// Present, but not used; `remark` says why.
    case unused
}

/// One accessory as ptt-accessoryd sees it.
package struct AccessoryDevice: Equatable, Codable, Sendable {
    /// Kind and identifier are those of the ``Origin`` of its presses.
    package let kind: OriginKind
    package let identifier: String
    package let name: String
    /// The name of the accessory profile, `FFE0` for example.
    package let profile: String?
    package let mode: ButtonMode
    package let link: LinkState
    package let isPressed: Bool
    /// What a person should know or do, if anything.
    package let remark: String?

    package init(
        kind: OriginKind,
        identifier: String,
        name: String,
        profile: String?,
        mode: ButtonMode,
        link: LinkState,
        isPressed: Bool,
        remark: String?
    ) {
        self.kind = kind
        self.identifier = identifier
        self.name = name
        self.profile = profile
        self.mode = mode
        self.link = link
        self.isPressed = isPressed
        self.remark = remark
    }
}

package enum AccessoryEventKind: String, WireEnum {
    case unknown
    case deviceAdded
    case deviceChanged
    case deviceRemoved
    case pressed
    case released
    /// Something arrived that changes nothing: a heartbeat, a level that is no edge, bytes without meaning. `remark` says which.
    case ignored
    /// ptt-accessoryd reached the core, or lost it.
    case coreConnected
    case coreLost
}

/// Something that happened at ptt-accessoryd.
package struct AccessoryEvent: Equatable, Codable, Sendable {
    package let kind: AccessoryEventKind
    package let device: AccessoryDevice?
    /// What arrived, in hexadecimal or as a key name.
    package let value: String?
    package let remark: String?

    package init(
        _ kind: AccessoryEventKind,
        device: AccessoryDevice? = nil,
        value: String? = nil,
        remark: String? = nil
    ) {
        self.kind = kind
        self.device = device
        self.value = value
        self.remark = remark
    }
}
