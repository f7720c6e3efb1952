import CDBus
import EventLoop
import Glibc

/// Decodes the body of a message. libdbus has validated it: UTF-8, signatures, paths, lengths and depth.
///
/// The limits of libdbus are far above any real message: a few bytes may decode to a value of fifty, and a
/// descriptor may be referenced, and is then duplicated, any number of times. Therefore this decoder has its
/// own limits.
struct MessageDecoder {
    /// Values in one body, including nested ones. bluetoothd sends some hundred for each device that it
    /// knows.
    static let maximumValues = 100_000
    /// Bytes of one string or array of bytes.
    static let maximumLength = 64 << 10
    /// Nested containers. BlueZ's answer with all its objects is eight levels deep.
    static let maximumDepth = 32
    /// The default limit of dbus-daemon for one message (`max_message_unix_fds` in dbus-daemon(1)).
    static let maximumDescriptors = 16

    private var values = 0
    private var descriptors = 0
    private var depth = 0

    /// - Throws: `LimitsExceeded` if the body exceeds a limit.
    static func values(of message: OpaquePointer) throws(BusError) -> [BusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        var decoder = MessageDecoder()
        return try decoder.values(&iterator)
    }

    /// The first argument, if it is a string. The rest of the body is not decoded.
    static func firstString(of message: OpaquePointer) -> String? {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0,
            dbus_message_iter_get_arg_type(&iterator) == TypeCode.string
        else { return nil }
        // A string that is too long cannot equal the first argument of any match rule.
        return try? string(&iterator)
    }

    private mutating func values(_ iterator: inout DBusMessageIter) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try value(&iterator) {
            values.append(value)
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    /// - Returns: nil at the end.
    private mutating func value(_ iterator: inout DBusMessageIter) throws(BusError) -> BusValue? {
        let type = dbus_message_iter_get_arg_type(&iterator)
        if type != TypeCode.invalid { try Self.count(&values, of: "values", limit: Self.maximumValues) }
        switch type {
        case TypeCode.byte: return .byte(basic(&iterator, 0))
        case TypeCode.boolean: return .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
        case TypeCode.int16: return .int16(basic(&iterator, 0))
        case TypeCode.uint16: return .uint16(basic(&iterator, 0))
        case TypeCode.int32: return .int32(basic(&iterator, 0))
        case TypeCode.uint32: return .uint32(basic(&iterator, 0))
        case TypeCode.int64: return .int64(basic(&iterator, 0))
        case TypeCode.uint64: return .uint64(basic(&iterator, 0))
        case TypeCode.double: return .double(basic(&iterator, 0))
        case TypeCode.string: return .string(try Self.string(&iterator))
        case TypeCode.signature: return .signature(try Self.string(&iterator))
        case TypeCode.objectPath: return ObjectPath(try Self.string(&iterator)).map { .objectPath($0) }
        case TypeCode.descriptor: return .descriptor(try descriptor(&iterator))
        case TypeCode.array: return try array(&iterator)
        case TypeCode.structure: return .structure(try members(&iterator))
        case TypeCode.variant: return try members(&iterator).first.map { .variant($0) }
        default: return nil
        }
    }

    private func basic<Number: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: Number)
        -> Number
    {
        var number = initial
        dbus_message_iter_get_basic(&iterator, &number)
        return number
    }

    private static func string(_ iterator: inout DBusMessageIter) throws(BusError) -> String {
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        guard let pointer else { return "" }
        guard strnlen(pointer, maximumLength + 1) <= maximumLength else {
            throw tooLarge("a string of more than \(maximumLength) bytes")
        }
        return String(cString: pointer)
    }

    /// libdbus returns a duplicate that the caller owns.
    private mutating func descriptor(_ iterator: inout DBusMessageIter) throws(BusError) -> BusDescriptor {
        try Self.count(&descriptors, of: "descriptors", limit: Self.maximumDescriptors)
        var number: Int32 = -1
        dbus_message_iter_get_basic(&iterator, &number)
        return BusDescriptor(OwnedDescriptor(adopting: number))
    }

    private mutating func members(_ iterator: inout DBusMessageIter) throws(BusError) -> [BusValue] {
        try within(&iterator) { (decoder, inner) throws(BusError) in try decoder.values(&inner) }
    }

    private mutating func array(_ iterator: inout DBusMessageIter) throws(BusError) -> BusValue {
        let elementType = dbus_message_iter_get_element_type(&iterator)
        return try within(&iterator) { (decoder, inner) throws(BusError) in
            if elementType == TypeCode.byte { return .bytes(try Self.bytes(&inner)) }
            let element = Self.signature(&inner)
            guard elementType == TypeCode.dictionaryEntry else {
                return .array(of: element, try decoder.values(&inner))
            }
            return try decoder.dictionary(element, &inner)
        }
    }

    private static func bytes(_ inner: inout DBusMessageIter) throws(BusError) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        dbus_message_iter_get_fixed_array(&inner, &start, &count)
        guard count <= maximumLength else { throw tooLarge("\(count) bytes in one array") }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// `entry` is `{`, a basic type, a type, `}`. The last of several equal keys counts.
    private mutating func dictionary(_ entry: String, _ inner: inout DBusMessageIter) throws(BusError)
        -> BusValue
    {
        var entries: [BusValue: BusValue] = [:]
        while dbus_message_iter_get_arg_type(&inner) == TypeCode.dictionaryEntry {
            let pair = try members(&inner)
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

    // MARK: - Limits

    private mutating func within<Result>(
        _ iterator: inout DBusMessageIter,
        _ read: (inout MessageDecoder, inout DBusMessageIter) throws(BusError) -> Result
    ) throws(BusError) -> Result {
        try Self.count(&depth, of: "nested containers", limit: Self.maximumDepth)
        defer { depth -= 1 }
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        return try read(&self, &inner)
    }

    private static func count(_ number: inout Int, of items: String, limit: Int) throws(BusError) {
        number += 1
        if number > limit { throw tooLarge("more than \(limit) \(items)") }
    }

    private static func tooLarge(_ content: String) -> BusError {
        .standard("LimitsExceeded", "the message contains \(content)")
    }
}
