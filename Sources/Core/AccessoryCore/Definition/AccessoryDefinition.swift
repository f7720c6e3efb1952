package import PTTMessages

/// A kind of accessory, as its file describes it: how to recognise and connect it, what it sends, and what a
/// press does.
///
/// `Documentation/Accessories.md` is the reference of the file format. Definitions are made only by parsing a
/// file or by learning, which both check them.
package struct AccessoryDefinition: Equatable, Sendable {
    /// The certainty with which the description is known to be true.
    package enum Confidence: String, CaseIterable, Codable, Sendable {
        /// A published capture of a real device was read, or two independent sources: the vendor's
        /// documentation or code, programs of people who have the device.
        case verified
        /// One such source was read, or another project's transcription.
        case secondHand = "second-hand"
        case unverified
        /// `pttctl learn` wrote it.
        case learned
    }

    /// The name of its file without `.toml`. A file of the same name in a later directory replaces it.
    package let identifier: String
    /// For people.
    package let name: String
    package let confidence: Confidence
    /// Addresses of the sources.
    package internal(set) var evidence: [String] = []
    /// Addresses of published recordings of a real device.
    package internal(set) var captures: [String] = []
    package let match: AccessoryMatch
    package internal(set) var connection = ConnectionPolicy()
    package internal(set) var input: AccessoryInput
    package internal(set) var gesture = GestureSettings()
    package internal(set) var led: LEDCharacteristic?
    /// Only for a battery that BlueZ does not report by itself (`org.bluez.Battery1`, from GATT service
    /// 180F).
    package internal(set) var battery: GattAttribute?
    package internal(set) var examples: [AccessoryExample] = []
}

/// A GATT characteristic, by the UUIDs of its service and of itself.
package struct GattAttribute: Hashable, Sendable {
    package let service: GattUUID
    package let characteristic: GattUUID

    package init(service: GattUUID, characteristic: GattUUID) {
        self.service = service
        self.characteristic = characteristic
    }
}

/// The data that an accessory sends. All its inputs have one transport.
package enum AccessoryInput: Equatable, Sendable {
    /// Notifications of one or more characteristics; never empty. Several may report the same press.
    case gatt([GattInput])
    /// A serial port of classic Bluetooth (RFCOMM).
    case serial(SerialInput)
    /// Advertisements of ``BTHome``, without a link. The decoder gets the number of the button, from 1 on,
    /// and its event.
    case advertisements(FrameDecoder)
    /// Keys of an input device (evdev).
    case keys(KeyInput)
}

package struct GattInput: Equatable, Sendable {
    package let attribute: GattAttribute
    package let decoder: FrameDecoder
}

package struct SerialInput: Equatable, Sendable {
    /// The SDP service class of the port, usually 1101 (Serial Port Profile).
    package let serviceClass: GattUUID
    package let tokens: TokenTable
}

package struct KeyInput: Equatable, Sendable {
    /// The meaning of the edges of a key.
    package enum Meaning: Hashable, Sendable {
        /// Its press is down, its release up.
        case button(ButtonRole)
        /// Its press is the press of a button, whose release another key reports.
        case down(ButtonRole)
        /// Its press is the release of a button.
        case up(ButtonRole)
        /// Its press is a tap; its release means nothing.
        case tap(ButtonRole)
    }

    /// By the kernel's code (`input-event-codes.h`).
    package let meanings: [UInt16: Meaning]

    package func signals(of code: UInt16, isPressed: Bool) -> [Signal] {
        switch meanings[code] {
        case .button(let role): isPressed ? [.down(role)] : [.up(role)]
        case .down(let role): isPressed ? [.down(role)] : []
        case .up(let role): isPressed ? [.up(role)] : []
        case .tap(let role): isPressed ? [.tap(role)] : []
        case nil: [.unknown("not a push-to-talk key")]
        }
    }
}

/// The way in which a press controls the transmission.
package struct GestureSettings: Equatable, Sendable {
    /// Nil: hold, or toggle if the talk button never reports its release.
    package internal(set) var mode: ButtonMode?
    /// Shorter contacts do not count. Zero: each press counts at once.
    package internal(set) var shortestPress = Duration.zero
    /// A button that is down for this long counts as released: its release may be lost.
    package internal(set) var releaseAfter: Duration?
}

/// A lamp of the accessory, and what to write to it.
package struct LEDCharacteristic: Equatable, Sendable {
    package let attribute: GattAttribute
    package let transmitting: [UInt8]
    package let idle: [UInt8]
}

/// The way to connect an accessory.
package struct ConnectionPolicy: Equatable, Sendable {
    package enum Bonding: String, CaseIterable, Codable, Sendable {
        /// The accessory loses its key, after which the host can never encrypt the link again.
        case never
        case ifRequested = "if-requested"
        /// It notifies only over an encrypted link.
        case required
    }

    /// A write after each connection.
    package struct Write: Equatable, Sendable {
        package enum Change: Equatable, Sendable {
            case value([UInt8])
            /// These bits are set in the value that was read. The earlier value is restored when the
            /// accessory is forgotten.
            case setBits([UInt8])
        }

        package let attribute: GattAttribute
        package let change: Change
    }

    package internal(set) var bonding = Bonding.ifRequested
    package internal(set) var writes: [Write] = []
}
