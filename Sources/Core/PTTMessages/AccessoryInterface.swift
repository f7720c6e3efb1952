/// `org.pushtotalk.Accessory` on ptt-accessoryd's socket: its methods and their messages.
package enum AccessoryInterface {
    package static let name = "org.pushtotalk.Accessory"

    package static let getDevices = InterfaceMethod<NoParameters, DevicesReply>("GetDevices", of: name)
    package static let subscribe = InterfaceMethod<NoParameters, Update>("Subscribe", of: name)
    package static let scan = InterfaceMethod<ScanRequest, ScanReply>("Scan", of: name)
    package static let pair = InterfaceMethod<AddressRequest, PairReply>("Pair", of: name)
    package static let explain = InterfaceMethod<ExplainRequest, ExplainReply>("Explain", of: name)
    package static let pairAndTest = InterfaceMethod<PairAndTestRequest, PairAndTestReply>(
        "PairAndTest",
        of: name
    )
    package static let forget = InterfaceMethod<AddressRequest, ForgetReply>("Forget", of: name)

    package struct DevicesReply: Equatable, Codable, Sendable {
        package let devices: [AccessoryDevice]
        package let isCoreConnected: Bool

        package init(devices: [AccessoryDevice], isCoreConnected: Bool) {
            self.devices = devices
            self.isCoreConnected = isCoreConnected
        }
    }

    /// One reply to `Subscribe`: the first has all devices, each later one has an event.
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
        package static let limits = 1...120

        /// Within ``limits``.
        package let seconds: Int

        package init(seconds: Int) {
            self.seconds = seconds
        }
    }

    /// One reply to `Scan`; the last has no device.
    package struct ScanReply: Equatable, Codable, Sendable {
        package let device: Discovery?

        package init(device: Discovery?) {
            self.device = device
        }
    }

    /// A device that a scan found, or found again.
    package struct Discovery: Equatable, Codable, Sendable {
        /// Of an input device the identity that it is enrolled by.
        package let address: String
        package let name: String
        /// Signal strength in dBm, if known.
        package let rssi: Int?
        /// The accessory profile that its advertised services or name match, if any. Many buttons show their
        /// services only when connected.
        package let profile: String?
        package let isPaired: Bool
        /// Nil from an older daemon.
        package let addressType: AddressType?
        /// The key of an input device that was pressed, `BTN_TRIGGER` for example; nil for a Bluetooth
        /// device.
        package let key: String?

        package init(
            address: String,
            name: String,
            rssi: Int?,
            profile: String?,
            isPaired: Bool,
            addressType: AddressType? = nil,
            key: String? = nil
        ) {
            self.address = address
            self.name = name
            self.rssi = rssi
            self.profile = profile
            self.isPaired = isPaired
            self.addressType = addressType
            self.key = key
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

    /// The errors of the interface; each has a `reason` for people.
    package static let bluetoothUnavailable = "\(name).BluetoothUnavailable"
    package static let deviceNotFound = "\(name).DeviceNotFound"
    package static let pairingFailed = "\(name).PairingFailed"
    package static let testFailed = "\(name).TestFailed"
    package static let bindKeyNeeded = "\(name).BindKeyNeeded"
}
