/// `org.pushtotalk.Accessory` on ptt-accessoryd's socket: the text of the interface, its methods and their
/// messages.
package enum AccessoryInterface {
    package static let name = "org.pushtotalk.Accessory"

    /// The interface text, the reply to `org.varlink.service.GetInterfaceDescription`.
    package static let description = """
        # Push-to-talk buttons and headset keys of this machine.
        #
        # Published versions of this interface are never changed incompatibly; fields may be added, and a client must
        # accept values that it does not know.
        interface \(name)

        \(AccessoryDevice.kindDeclaration)

        \(ButtonMode.declaration)

        \(LinkState.declaration)

        \(ButtonRole.declaration)

        \(AccessoryDevice.declaration)

        \(AccessoryEventKind.declaration)

        \(AccessoryEvent.declaration)

        method GetDevices() -> (devices: []Device, isCoreConnected: bool)

        # Call with "more". The first reply has all devices, each later one has one event. sequence grows by one with
        # each event; time is in microseconds of the monotonic clock.
        method Subscribe() -> (sequence: int, time: int, devices: ?[]Device, event: ?Event)

        \(AddressType.declaration)

        \(Discovery.declaration)

        # Call with "more". Looks for Bluetooth devices for \(scanLimits) seconds and replies once for each device found or
        # found again; the last reply has no device. Close the connection to stop earlier.
        method Scan(seconds: int) -> (device: ?Discovery)

        # Connects, bonds if the device requires it, and marks the device as trusted, so that it reconnects without help.
        # Takes up to a minute. Its presses are used once the device is enrolled, in the user's file devices.toml.
        method Pair(address: string) -> (device: Device)

        \(PairingStep.declaration)

        \(Restoration.declaration)

        # Call with "more". Pairs as Pair does, then waits for a press of the talk button and its release, for seconds
        # (\(testLimits)); they begin no transmission. Each reply is a step. accessory and mode replace the accessory
        # file that matches best and its mode. After "tested" the client writes devices.toml, with mode and restore as
        # that reply has them; the last reply, "enrolled", says that presses count from now on.
        method PairAndTest(address: string, seconds: int, accessory: ?string, mode: ?ButtonMode) -> (step: PairingStep,
          device: ?Device, mode: ?ButtonMode, restore: ?[]Restoration)

        # Removes a Bluetooth device and its bond, after writing its settings back. remark: what could not be done.
        method Forget(address: string) -> (remark: ?string)

        # What a device is compared with the accessory files by, as far as it is known, and the result for each file, the
        # best first. identifier: as in Device, or its name. accessory: the file that describes it. transport, product and
        # keys: of an input device. path: of the file. reasons: for people.
        method Explain(identifier: string) -> (name: ?string, address: ?string, addressType: ?AddressType,
          services: ?[]string, transport: ?string, product: ?string, keys: ?[]string, accessory: ?string,
          files: []FileMatch)

        type FileMatch (accessory: string, path: string, matches: bool, reasons: []string)

        \(learnDeclaration)

        error BluetoothUnavailable (reason: string)

        error DeviceNotFound (reason: string)

        error PairingFailed (reason: string)

        # PairAndTest observed no press and release in time.
        error TestFailed (reason: string)

        error LearningFailed (reason: string)

        # The client did not read fast enough and must subscribe again.
        error SubscriberLagged ()
        """

    private static let testLimits =
        "\(PairAndTestRequest.limits.lowerBound) to \(PairAndTestRequest.limits.upperBound)"
    private static let scanLimits = "\(ScanRequest.limits.lowerBound) to \(ScanRequest.limits.upperBound)"

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

        package init(
            address: String,
            name: String,
            rssi: Int?,
            profile: String?,
            isPaired: Bool,
            addressType: AddressType? = nil
        ) {
            self.address = address
            self.name = name
            self.rssi = rssi
            self.profile = profile
            self.isPaired = isPaired
            self.addressType = addressType
        }

        static let declaration = """
            # A device found by a scan. rssi: in dBm. profile: the one that its advertised services match, if any.
            type Discovery (address: string, name: string, rssi: ?int, profile: ?string, isPaired: bool,
              addressType: ?AddressType)
            """
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
}
