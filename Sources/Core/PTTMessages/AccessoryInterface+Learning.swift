extension AccessoryInterface {
    package static let learn = InterfaceMethod<LearnRequest, LearnReply>("Learn", of: name)
    package static let learningFailed = "\(name).LearningFailed"

    package struct LearnRequest: Equatable, Codable, Sendable {
        /// A Bluetooth address, or the identifier of an input device.
        package let device: String

        package init(device: String) {
            self.device = device
        }
    }

    /// One reply to `Learn`: at first the device, then a frame each.
    package struct LearnReply: Equatable, Codable, Sendable {
        package let device: LearnedDevice?
        package let frame: ReceivedFrame?

        package init(device: LearnedDevice? = nil, frame: ReceivedFrame? = nil) {
            self.device = device
            self.frame = frame
        }
    }

    /// The device that is being listened to.
    package struct LearnedDevice: Equatable, Codable, Sendable {
        /// As in `devices.toml`.
        package let identity: String
        package let name: String
        /// Its transport: `gatt`, `serial`, or that of an input device as in an accessory file.
        package let transport: String
        /// `vendor:product` of an input device, in hexadecimal.
        package let product: String?

        package init(identity: String, name: String, transport: String, product: String? = nil) {
            self.identity = identity
            self.name = name
            self.transport = transport
            self.product = product
        }
    }

    /// Something that the device sent.
    package struct ReceivedFrame: Equatable, Codable, Sendable {
        /// Microseconds of the monotonic clock.
        package let time: Int
        /// The UUIDs of a GATT service and its characteristic; for a serial port that of the service class
        /// alone.
        package let service: String?
        package let characteristic: String?
        /// The bytes, in hexadecimal; nil for a key.
        package let value: String?
        /// The kernel's code of a key.
        package let key: Int?
        package let isPressed: Bool?

        package init(
            time: Int,
            service: String? = nil,
            characteristic: String? = nil,
            value: String? = nil,
            key: Int? = nil,
            isPressed: Bool? = nil
        ) {
            self.time = time
            self.service = service
            self.characteristic = characteristic
            self.value = value
            self.key = key
            self.isPressed = isPressed
        }
    }

    static let learnDeclaration = """
        # A device that is being listened to. transport: "gatt", "serial", or that of an input device: "jack", "usb",
        # "avrcp", "bluetooth", "other". product: vendor and product of an input device, in hexadecimal.
        type LearnedDevice (identity: string, name: string, transport: string, product: ?string)

        # What the device sent. time: in microseconds of the monotonic clock. A notification has service, characteristic
        # and value (bytes in hexadecimal), a part of a serial stream has service (its class) and value, a key has key
        # (the kernel's code) and isPressed.
        type ReceivedFrame (time: int, service: ?string, characteristic: ?string, value: ?string, key: ?int,
          isPressed: ?bool)

        # Call with "more". Listens to everything that the device may send, for three minutes at most: all notifying
        # characteristics of a Bluetooth address, or its serial port, or the keys of an input device by its identifier.
        # Meanwhile no accessory transmits. The first reply has the device, once everything can be received; each other
        # one has a frame. Frames may precede the device. Close the connection to end it.
        method Learn(device: string) -> (device: ?LearnedDevice, frame: ?ReceivedFrame)
        """
}
