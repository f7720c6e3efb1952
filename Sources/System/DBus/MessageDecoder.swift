internal import CDBus
internal import EventLoop

/// Reads the body of a message. libdbus has validated it: UTF-8, signatures, paths, lengths and depth.
enum MessageDecoder {
    static func values(of message: OpaquePointer) -> [BusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        return values(&iterator)
    }

    private static func values(_ iterator: inout DBusMessageIter) -> [BusValue] {
        var values: [BusValue] = []
        while let value = value(&iterator) {
            values.append(value)
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    /// - Returns: nil at the end.
    private static func value(_ iterator: inout DBusMessageIter) -> BusValue? {
        switch dbus_message_iter_get_arg_type(&iterator) {
        case TypeCode.byte: .byte(basic(&iterator, 0))
        case TypeCode.boolean: .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
        case TypeCode.int16: .int16(basic(&iterator, 0))
        case TypeCode.uint16: .uint16(basic(&iterator, 0))
        case TypeCode.int32: .int32(basic(&iterator, 0))
        case TypeCode.uint32: .uint32(basic(&iterator, 0))
        case TypeCode.int64: .int64(basic(&iterator, 0))
        case TypeCode.uint64: .uint64(basic(&iterator, 0))
        case TypeCode.double: .double(basic(&iterator, 0))
        case TypeCode.string: .string(string(&iterator))
        case TypeCode.signature: .signature(string(&iterator))
        case TypeCode.objectPath: ObjectPath(string(&iterator)).map { .objectPath($0) }
        case TypeCode.descriptor: .descriptor(descriptor(&iterator))
        case TypeCode.array: array(&iterator)
        case TypeCode.structure: .structure(members(&iterator))
        case TypeCode.variant: members(&iterator).first.map { .variant($0) }
        default: nil
        }
    }

    private static func basic<Number: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: Number)
        -> Number
    {
        var number = initial
        dbus_message_iter_get_basic(&iterator, &number)
        return number
    }

    private static func string(_ iterator: inout DBusMessageIter) -> String {
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        return pointer.map { String(cString: $0) } ?? ""
    }

    /// libdbus gives a duplicate that the caller owns.
    private static func descriptor(_ iterator: inout DBusMessageIter) -> BusDescriptor {
        var number: Int32 = -1
        dbus_message_iter_get_basic(&iterator, &number)
        return BusDescriptor(OwnedDescriptor(adopting: number))
    }

    private static func members(_ iterator: inout DBusMessageIter) -> [BusValue] {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        return values(&inner)
    }

    private static func array(_ iterator: inout DBusMessageIter) -> BusValue {
        let elementType = dbus_message_iter_get_element_type(&iterator)
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        if elementType == TypeCode.byte { return .bytes(bytes(&inner)) }
        let element = signature(&inner)
        guard elementType == TypeCode.dictionaryEntry else { return .array(of: element, values(&inner)) }
        return dictionary(element, &inner)
    }

    private static func bytes(_ inner: inout DBusMessageIter) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        dbus_message_iter_get_fixed_array(&inner, &start, &count)
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// `entry` is `{`, a basic type, a type, `}`. Of equal keys the last one counts.
    private static func dictionary(_ entry: String, _ inner: inout DBusMessageIter) -> BusValue {
        var entries: [BusValue: BusValue] = [:]
        while dbus_message_iter_get_arg_type(&inner) == TypeCode.dictionaryEntry {
            let pair = members(&inner)
            if pair.count == 2 { entries[pair[0]] = pair[1] }
            dbus_message_iter_next(&inner)
        }
        let types = entry.dropFirst().dropLast()
        return .dictionary(keys: String(types.prefix(1)), values: String(types.dropFirst()), entries)
    }

    private static func signature(_ iterator: inout DBusMessageIter) -> String {
        guard let text = dbus_message_iter_get_signature(&iterator) else { return "" }
        defer { dbus_free(text) }
        return String(cString: text)
    }
}
