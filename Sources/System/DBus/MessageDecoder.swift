import CDBus
import EventLoop
import Glibc

/// Reads the body of a message. libdbus has validated it: UTF-8, signatures, paths, lengths and depth.
///
/// libdbus lets through what is far more than anybody has to tell: a few bytes of a message may become a value of
/// fifty, and a descriptor may be named, and with that duplicated, any number of times.
struct MessageDecoder {
    /// Values in one body, those within others included. bluetoothd tells some hundred for each device it knows.
    static let maximumValues = 100_000
    /// Bytes of one string or array of bytes.
    static let maximumLength = 64 << 10
    /// Containers within containers. What BlueZ tells of all its objects is eight deep.
    static let maximumDepth = 32
    /// As many as dbus-daemon lets a message carry (`max_message_unix_fds` of dbus-daemon(1)).
    static let maximumDescriptors = 16

    private var values = 0
    private var descriptors = 0
    private var depth = 0

    /// - Throws: `LimitsExceeded` if the body is larger than anybody needs.
    static func values(of message: OpaquePointer) throws(BusError) -> [BusValue] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        var decoder = MessageDecoder()
        return try decoder.values(&iterator)
    }

    /// The first argument, if it is a string. Nothing else of the body is read.
    static func firstString(of message: OpaquePointer) -> String? {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0,
            dbus_message_iter_get_arg_type(&iterator) == TypeCode.string
        else { return nil }
        // One that is too long is equal to nothing that anybody asks for.
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
        if type != TypeCode.invalid { try Self.count(&values, Self.maximumValues, "values") }
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

    /// libdbus gives a duplicate that the caller owns.
    private mutating func descriptor(_ iterator: inout DBusMessageIter) throws(BusError) -> BusDescriptor {
        try Self.count(&descriptors, Self.maximumDescriptors, "descriptors")
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

    /// `entry` is `{`, a basic type, a type, `}`. Of equal keys the last one counts.
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
        try Self.count(&depth, Self.maximumDepth, "containers within containers")
        defer { depth -= 1 }
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        return try read(&self, &inner)
    }

    private static func count(_ number: inout Int, _ limit: Int, _ what: String) throws(BusError) {
        number += 1
        if number > limit { throw tooLarge("more than \(limit) \(what)") }
    }

    private static func tooLarge(_ what: String) -> BusError {
        .standard("LimitsExceeded", "the message carries \(what)")
    }
}
