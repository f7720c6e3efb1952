/// The messages of `org.pushtotalk.Accessory`, the bridge's socket. ``AccessoryInterface/description`` says what each means.
public enum AccessoryInterface {
    public static let name = "org.pushtotalk.Accessory"

    public struct DevicesReply: Equatable, Codable, Sendable {
        public let devices: [AccessoryDevice]
        public let isCoreConnected: Bool

        public init(devices: [AccessoryDevice], isCoreConnected: Bool) {
            self.devices = devices
            self.isCoreConnected = isCoreConnected
        }
    }

    /// One answer of `Subscribe`: all devices in the first, an event in each that follows.
    public struct Update: Equatable, Codable, Sendable {
        public let sequence: Int
        /// Microseconds of the monotonic clock.
        public let time: Int
        public let devices: [AccessoryDevice]?
        public let event: AccessoryEvent?

        public init(sequence: Int, time: Int, devices: [AccessoryDevice]?, event: AccessoryEvent?) {
            self.sequence = sequence
            self.time = time
            self.devices = devices
            self.event = event
        }
    }

    public struct ScanRequest: Equatable, Codable, Sendable {
        /// 1 to 120.
        public let seconds: Int

        public init(seconds: Int) {
            self.seconds = seconds
        }
    }

    /// One answer of `Scan`; the last has no device.
    public struct ScanReply: Equatable, Codable, Sendable {
        public let device: Discovery?

        public init(device: Discovery?) {
            self.device = device
        }
    }

    /// A device that a scan found, or found again.
    public struct Discovery: Equatable, Codable, Sendable {
        public let address: String
        public let name: String
        /// Signal strength in dBm, if known.
        public let rssi: Int?
        /// The accessory profile that its advertised services or name fit, if any. Many buttons tell it only when connected.
        public let profile: String?
        public let isPaired: Bool

        public init(address: String, name: String, rssi: Int?, profile: String?, isPaired: Bool) {
            self.address = address
            self.name = name
            self.rssi = rssi
            self.profile = profile
            self.isPaired = isPaired
        }
    }

    public struct AddressRequest: Equatable, Codable, Sendable {
        /// A Bluetooth address, `AA:BB:CC:DD:EE:FF`.
        public let address: String

        public init(address: String) {
            self.address = address
        }
    }

    public struct PairReply: Equatable, Codable, Sendable {
        public let device: AccessoryDevice

        public init(device: AccessoryDevice) {
            self.device = device
        }
    }

    /// The errors of the interface; each carries a `reason` for people.
    public static let bluetoothUnavailable = "org.pushtotalk.Accessory.BluetoothUnavailable"
    public static let deviceNotFound = "org.pushtotalk.Accessory.DeviceNotFound"
    public static let pairingFailed = "org.pushtotalk.Accessory.PairingFailed"
    public static let lagged = "org.pushtotalk.Accessory.SubscriberLagged"
}

/// How a button works the transmission.
public enum ButtonMode: String, WireEnum {
    case unknown
    /// Talk while it is held.
    case hold
    /// One press begins, the next ends.
    case toggle
}

/// How far a device is from being heard.
public enum LinkState: String, WireEnum {
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

/// One accessory as the bridge sees it.
public struct AccessoryDevice: Equatable, Codable, Sendable {
    /// Kind and identifier are those of the ``Origin`` of its presses.
    public let kind: OriginKind
    public let identifier: String
    public let name: String
    /// The name of the accessory profile, `FFE0` for example.
    public let profile: String?
    public let mode: ButtonMode
    public let link: LinkState
    public let isPressed: Bool
    /// What a person should know or do, if anything.
    public let remark: String?

    public init(
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

public enum AccessoryEventKind: String, WireEnum {
    case unknown
    case deviceAdded
    case deviceChanged
    case deviceRemoved
    case pressed
    case released
    /// Something arrived that changes nothing: a heartbeat, a level that is no edge, bytes without meaning. `remark` says which.
    case ignored
    /// The bridge reached the core, or lost it.
    case coreConnected
    case coreLost
}

/// Something that happened at the bridge.
public struct AccessoryEvent: Equatable, Codable, Sendable {
    public let kind: AccessoryEventKind
    public let device: AccessoryDevice?
    /// What arrived, in hexadecimal or as a key name.
    public let value: String?
    public let remark: String?

    public init(
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
