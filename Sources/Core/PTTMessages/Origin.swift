/// The kind of thing that a press came from.
package enum OriginKind: String, WireEnum {
    case unknown
    case application
    case commandLine
    /// A button that reports over Bluetooth Low Energy (GATT).
    case bluetoothButton
    /// A headset on a 3.5 mm jack or on USB.
    case wiredHeadset
    /// The media keys of a Bluetooth headset (AVRCP).
    case bluetoothHeadset
    /// A speaker microphone that reports over a Bluetooth serial port (RFCOMM).
    case serialMicrophone
    /// Any other input device: a pedal, a macro pad, a presenter, a handset.
    case inputDevice
}

/// The holder of a transmission: a button, an application, the command line. Origins are equal if kind and
/// identifier are.
package struct Origin: Hashable, Codable, Sendable {
    package let kind: OriginKind
    /// Stable over reconnection: a Bluetooth address, the identity of an input device, a process.
    package let identifier: String
    /// For people.
    package let name: String

    package init(kind: OriginKind, identifier: String, name: String) {
        self.kind = kind
        self.identifier = identifier
        self.name = name
    }

    package static func == (left: Origin, right: Origin) -> Bool {
        left.kind == right.kind && left.identifier.hasSameBytes(as: right.identifier)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        identifier.hashBytes(into: &hasher)
    }
}
