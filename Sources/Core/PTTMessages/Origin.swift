/// The kind of thing that a press came from.
package enum OriginKind: String, WireEnum {
    case unknown
    case application
    case commandLine
    case bluetoothButton
    case wiredHeadset

    /// The accessory interface has the same values under another name.
    static let values = "(unknown, application, commandLine, bluetoothButton, wiredHeadset)"
    static let declaration = "type OriginKind \(values)"
}

/// What holds a transmission: a button, an application, the command line. Origins are equal if kind and identifier are.
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

    static let declaration = """
        # What holds a transmission: a button, an application, the command line. Origins are equal if kind and
        # identifier are; name is for people.
        type Origin (kind: OriginKind, identifier: string, name: string)
        """
}
