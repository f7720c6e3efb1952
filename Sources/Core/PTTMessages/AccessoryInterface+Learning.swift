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
}
