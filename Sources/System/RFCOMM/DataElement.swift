/// A data element of SDP (Bluetooth Core Specification, Volume 3, Part B, 3).
///
/// libbluetooth reads them too, but never returns from a sequence that is longer than the one around it, and
/// calls itself for each level of sequences in sequences: a device could stop the daemon.
struct DataElement {
    private enum Kind {
        static let unsigned: UInt8 = 1
        static let uuid: UInt8 = 3
        static let sequence: UInt8 = 6
        static let alternative: UInt8 = 7
    }

    private let kind: UInt8
    private let content: ArraySlice<UInt8>

    /// Removes the first element. Nil if it is not whole.
    init?(removedFrom bytes: inout ArraySlice<UInt8>) {
        guard let header = bytes.popFirst() else { return nil }
        kind = header >> 3
        var size = kind == 0 ? 0 : 1 << (header & 7)
        if header & 7 >= 5 {
            let width = 1 << (header & 7 - 5)
            guard bytes.count >= width else { return nil }
            size = bytes.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            bytes.removeFirst(width)
        }
        guard bytes.count >= size else { return nil }
        content = bytes.prefix(size)
        bytes.removeFirst(size)
    }

    /// The first channel in the elements of a sequence or an alternative, up to one that is not whole.
    private func first(_ channel: (DataElement) -> UInt8?) -> UInt8? {
        guard kind == Kind.sequence || kind == Kind.alternative else { return nil }
        var rest = content
        while let element = DataElement(removedFrom: &rest) {
            if let found = channel(element) { return found }
        }
        return nil
    }

    private var number: UInt32? {
        guard kind == Kind.unsigned, content.count <= 4 else { return nil }
        return content.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The channel in the first record that has one, 1 to 30; this is a list of records.
    var channel: UInt8? { first { $0.recordChannel } }

    /// The identifiers of attributes and their values come by turns.
    private var recordChannel: UInt8? {
        let protocols: UInt32 = 0x0004
        var identifier: DataElement?
        return first { element in
            guard let attribute = identifier else {
                identifier = element
                return nil
            }
            identifier = nil
            return attribute.number == protocols ? element.protocolsChannel : nil
        }
    }

    /// An alternative has several stacks of protocols.
    private var protocolsChannel: UInt8? {
        kind == Kind.alternative ? first { $0.stackChannel } : stackChannel
    }

    private var stackChannel: UInt8? { first { $0.protocolChannel } }

    /// The UUID of a protocol and its first parameter.
    private var protocolChannel: UInt8? {
        var isRFCOMM: Bool?
        return first { element in
            defer { isRFCOMM = isRFCOMM == nil ? element.isRFCOMM : false }
            guard isRFCOMM == true, let number = element.number, 1...30 ~= number else { return nil }
            return UInt8(number)
        }
    }

    private var isRFCOMM: Bool {
        // On the Bluetooth Base UUID (the same, 2.5.1).
        let long: [UInt8] = [0, 0, 0, 3, 0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]
        return kind == Kind.uuid && [long[2..<4], long[..<4], long[...]].contains(content)
    }
}
