import PTTMessages

/// The format in which sensors and buttons advertise, version 2 (https://bthome.io/format): the service data
/// of the UUID FCD2.
package enum BTHome {
    package static let service = GattUUID(assigned: 0xFCD2)
    /// Of AES-128.
    package static let keySize = 16

    /// The report of a button in one advertisement.
    package struct Packet: Equatable, Sendable {
        /// Counts on by one with each change, from 255 to 0: a repetition has the same. Nil if it has none.
        package let number: UInt8?
        /// Of the encryption: never the same twice with one key. Nil if it is not encrypted.
        package internal(set) var counter: UInt32?
        /// In percent.
        package internal(set) var battery: Int?
        /// The event of each button, from the first button on: 0 is none, 1 a press, 2 a double press, 3 a
        /// triple press, 4 a long press.
        package let events: [UInt8]
    }

    /// Why an advertisement says nothing.
    package enum Failure: Error, Equatable, Sendable {
        case unknownFormat
        /// It is encrypted, and there is no key.
        case keyNeeded
        /// It is not encrypted although there is a key: anybody may have sent it.
        case notEncrypted
        case wrongKey

        /// For people.
        package var reason: String {
            switch self {
            case .unknownFormat: "not an advertisement of BTHome 2"
            case .keyNeeded: "it is encrypted, and its key is not known"
            case .notEncrypted: "not encrypted, as the presses of this button are"
            case .wrongKey: "its key does not fit"
            }
        }
    }

    /// Decrypts a message, or returns nil if it was not encrypted with this key and nonce.
    package typealias Decryption = (
        _ ciphertext: [UInt8], _ tag: [UInt8], _ nonce: [UInt8], _ key: [UInt8]
    ) -> [UInt8]?

    /// Reads an advertisement.
    ///
    /// - Parameters:
    ///   - data: The service data, from the byte with the information about the device on.
    ///   - address: Of the device, `AA:BB:CC:DD:EE:FF`.
    ///   - key: The key that its presses are encrypted with, nil if they are not.
    ///   - decrypt: AES-128 in CCM (https://bthome.io/encryption).
    /// - Returns: Its report of the buttons.
    /// - Throws: The reason why it says nothing.
    package static func packet(
        _ data: [UInt8],
        from address: String,
        key: [UInt8]?,
        decrypt: Decryption
    ) throws(Failure) -> Packet {
        guard let info = data.first, info >> 5 == 2, info & 0b10 == 0 else { throw .unknownFormat }
        let isEncrypted = info & 1 == 1
        guard isEncrypted else {
            if key != nil { throw .notEncrypted }
            return packet(data.dropFirst(), counter: nil)
        }
        guard let key else { throw .keyNeeded }
        let hardware = [UInt8](hexadecimal: String(address.filter { $0 != ":" })) ?? []
        guard hardware.count == 6, data.count >= 9 else { throw .unknownFormat }
        let (counter, tag) = (Array(data.suffix(8).prefix(4)), Array(data.suffix(4)))
        let nonce = hardware + [0xD2, 0xFC, info] + counter
        guard let objects = decrypt(Array(data.dropFirst().dropLast(8)), tag, nonce, key) else {
            throw .wrongKey
        }
        return packet(objects[...], counter: counter.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    /// Reads an advertisement that is not encrypted; nil if it is none.
    static func packet(_ data: [UInt8]) -> Packet? {
        // Its only failures are those of the format and of a key that is missing.
        try? packet(data, from: "", key: nil) { _, _, _, _ in nil }
    }

    /// Objects are sorted by their identifiers, so that those after the buttons need no attention.
    private static func packet(_ objects: ArraySlice<UInt8>, counter: UInt32?) -> Packet {
        var number: UInt8?
        var battery: Int?
        var events: [UInt8] = []
        var rest = objects
        while let identifier = rest.popFirst(), let size = size(of: identifier), rest.count >= size,
            let value = rest.first
        {
            rest = rest.dropFirst(size)
            switch identifier {
            case 0x00: number = value
            case 0x01: battery = min(Int(value), 100)
            case 0x3A: events.append(value)
            default: break  // The measurements of sensors.
            }
        }
        return Packet(number: number, counter: counter, battery: battery, events: events)
    }

    /// In bytes; nil for those that are not known, or come after the buttons.
    private static func size(of identifier: UInt8) -> Int? {
        switch identifier {
        case 0x00, 0x01, 0x09, 0x0F...0x11, 0x15...0x2F, 0x3A: 1
        case 0x02, 0x03, 0x06...0x08, 0x0C...0x0E, 0x12...0x14: 2
        case 0x04, 0x05, 0x0A, 0x0B: 3
        default: nil
        }
    }

    /// Returns the service data of a button, for simulated ones.
    package static func serviceData(packet: UInt8, events: [UInt8]) -> [UInt8] {
        [0x44, 0x00, packet, 0x01, 100] + events.flatMap { [0x3A, $0] }
    }
}

extension BTHome {
    /// The numbers of what was received, by which each press counts once.
    struct Sequence: Equatable, Sendable {
        enum Verdict: Equatable {
            case new
            case repeated
            /// A number of which it is not known when it was sent.
            case unusable(reason: String)
        }

        /// Two adapters may report presses that follow each other in different order.
        private static let repetitionTime = Duration.seconds(10)

        private var last: UInt8?
        private var time: MonotonicTime?
        private(set) var counter: UInt32?

        init(counter: UInt32?) { self.counter = counter }

        mutating func receive(_ packet: Packet, at now: MonotonicTime) -> Verdict {
            if let next = packet.counter {
                if next == counter { return .repeated }
                if let counter, next < counter {
                    return .unusable(
                        reason: "an earlier press was sent again; if its battery was changed, pair it again"
                    )
                }
                counter = next
            }
            guard let number = packet.number else {
                return packet.counter == nil
                    ? .unusable(reason: "without a number its repetitions cannot be told from presses") : .new
            }
            let step = number &- (last ?? number &- 1)
            let isLate = time.map { now - $0 < Self.repetitionTime } ?? false
            if step == 0 || step > 127 && isLate { return .repeated }
            (last, time) = (number, now)
            return .new
        }
    }
}
