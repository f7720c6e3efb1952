/// The progress of `PairAndTest`.
package enum PairingStep: String, WireEnum {
    case unknown
    /// It is being connected and bonded.
    case connecting
    /// Its talk button should be pressed now.
    case waitingForPress
    /// It was pressed, and should be released.
    case waitingForRelease
    /// The key of a Bluetooth headset. If it has earbuds, one should be taken out and put in again, and no
    /// key be pressed: a key that it sends by itself is no button.
    case waitingForWear
    /// A press and its release were observed: it may be enrolled.
    case tested
    /// The daemon has read that it is enrolled.
    case enrolled
}

/// Bits of a characteristic as they were before the accessory's settings were written.
package struct Restoration: Equatable, Codable, Sendable {
    package let service: String
    package let characteristic: String
    /// Hexadecimal.
    package let bits: String

    package init(service: String, characteristic: String, bits: String) {
        self.service = service
        self.characteristic = characteristic
        self.bits = bits
    }
}

extension AccessoryInterface {
    package struct PairAndTestRequest: Equatable, Codable, Sendable {
        package static let limits = 1...120

        /// A Bluetooth address, `AA:BB:CC:DD:EE:FF`.
        package let address: String
        /// The time to wait for the press and its release, within ``limits``.
        package let seconds: Int
        /// The identifier of an accessory file; nil for the best match.
        package let accessory: String?
        /// Nil for the mode of the accessory file.
        package let mode: ButtonMode?
        /// The key of a device that encrypts what it advertises: 32 hexadecimal digits.
        package let bindKey: String?

        package init(
            address: String,
            seconds: Int,
            accessory: String? = nil,
            mode: ButtonMode? = nil,
            bindKey: String? = nil
        ) {
            self.address = address
            self.seconds = seconds
            self.accessory = accessory
            self.mode = mode
            self.bindKey = bindKey
        }
    }

    /// One reply to `PairAndTest`; the last is ``PairingStep/enrolled``.
    package struct PairAndTestReply: Equatable, Codable, Sendable {
        package let step: PairingStep
        /// Nil while it is being connected.
        package let device: AccessoryDevice?
        /// With ``PairingStep/tested``: the mode to enrol, nil for that of its accessory file.
        package let mode: ButtonMode?
        /// With ``PairingStep/tested``: what forgetting the device has to write back.
        package let restore: [Restoration]?
        /// With ``PairingStep/tested``: the accessory file to enrol, nil for the best match.
        package let accessory: String?

        package init(
            _ step: PairingStep,
            device: AccessoryDevice? = nil,
            mode: ButtonMode? = nil,
            restore: [Restoration]? = nil,
            accessory: String? = nil
        ) {
            self.step = step
            self.device = device
            self.mode = mode
            self.restore = restore
            self.accessory = accessory
        }
    }

    package struct ForgetReply: Equatable, Codable, Sendable {
        /// A note of what could not be done, for people; nil if everything was.
        package let remark: String?

        package init(remark: String? = nil) {
            self.remark = remark
        }
    }
}
