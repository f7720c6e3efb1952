import CDBus

/// The type codes of the D-Bus specification; libdbus defines them as macros that Swift cannot import.
enum TypeCode {
    static let invalid: Int32 = 0
    static let byte: Int32 = 121  // y
    static let boolean: Int32 = 98  // b
    static let int16: Int32 = 110  // n
    static let uint16: Int32 = 113  // q
    static let int32: Int32 = 105  // i
    static let uint32: Int32 = 117  // u
    static let int64: Int32 = 120  // x
    static let uint64: Int32 = 116  // t
    static let double: Int32 = 100  // d
    static let string: Int32 = 115  // s
    static let objectPath: Int32 = 111  // o
    static let signature: Int32 = 103  // g
    static let descriptor: Int32 = 104  // h
    static let array: Int32 = 97  // a
    static let variant: Int32 = 118  // v
    static let structure: Int32 = 114  // r
    static let dictionaryEntry: Int32 = 101  // e
}

/// Encodes values into a message. libdbus aborts on invalid ones, so each is checked before it gets there:
/// text without NUL, arrays of one type, limited size and depth.
struct MessageEncoder {
    /// Bytes of strings and arrays in one outgoing message; far above any real message.
    private static let maximumSize = 1 << 20
    /// The specification allows 32 nested arrays, 32 nested structures and 64 levels in all; no real message
    /// needs that.
    private static let maximumDepth = 16

    private var size = 0
    private var depth = 0

    /// - Throws: `InvalidArgs` if the values break the rules of D-Bus, `LimitsExceeded` above
    ///   ``maximumSize``. The message is of no use then.
    static func append(_ values: [BusValue], to message: OpaquePointer) throws(BusError) {
        let signature = values.reduce(into: "") { $0 += $1.signature }
        guard BusNames.isSignature(signature) else {
            throw .invalidArguments("the signature of the arguments is not valid")
        }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        var encoder = MessageEncoder()
        for value in values { try encoder.append(value, to: &iterator) }
    }

    private mutating func append(_ value: BusValue, to iterator: inout DBusMessageIter) throws(BusError) {
        guard depth <= Self.maximumDepth else { throw .invalidArguments("values are nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        try add(8)
        switch value {
        case .byte(let number): try Self.basic(number, as: TypeCode.byte, to: &iterator)
        case .boolean(let flag):
            try Self.basic(dbus_bool_t(flag ? 1 : 0), as: TypeCode.boolean, to: &iterator)
        case .int16(let number): try Self.basic(number, as: TypeCode.int16, to: &iterator)
        case .uint16(let number): try Self.basic(number, as: TypeCode.uint16, to: &iterator)
        case .int32(let number): try Self.basic(number, as: TypeCode.int32, to: &iterator)
        case .uint32(let number): try Self.basic(number, as: TypeCode.uint32, to: &iterator)
        case .int64(let number): try Self.basic(number, as: TypeCode.int64, to: &iterator)
        case .uint64(let number): try Self.basic(number, as: TypeCode.uint64, to: &iterator)
        case .double(let number): try Self.basic(number, as: TypeCode.double, to: &iterator)
        case .text(let key):
            guard BusNames.isText(key.text) else {
                throw .invalidArguments("a string contains a NUL character")
            }
            try string(key.text, as: TypeCode.string, to: &iterator)
        case .objectPath(let path): try string(path.text, as: TypeCode.objectPath, to: &iterator)
        case .signature(let text):
            guard BusNames.isSignature(text) else { throw .invalidArguments("\(text) is not a signature") }
            try string(text, as: TypeCode.signature, to: &iterator)
        case .descriptor(let descriptor): try Self.append(descriptor, to: &iterator)
        case .bytes(let bytes): try append(bytes, to: &iterator)
        case .array(let element, let elements):
            guard BusNames.isSingleType(element) else { throw .invalidArguments("\(element) is not a type") }
            for value in elements { try Self.require(value, isOf: element) }
            try container(TypeCode.array, signature: element, elements, to: &iterator)
        case .dictionary(let keys, let values, let entries):
            try dictionary(entries, keys: keys, values: values, to: &iterator)
        case .structure(let members):
            guard !members.isEmpty else { throw .invalidArguments("a structure has no members") }
            try container(TypeCode.structure, signature: nil, members, to: &iterator)
        case .variant(let inner):
            let type = inner.signature
            guard BusNames.isSingleType(type) else { throw .invalidArguments("\(type) is not a type") }
            try container(TypeCode.variant, signature: type, [inner], to: &iterator)
        }
    }

    private static func basic<Number: BitwiseCopyable>(
        _ number: Number,
        as type: Int32,
        to iterator: inout DBusMessageIter
    )
        throws(BusError)
    {
        var number = number
        try require(dbus_message_iter_append_basic(&iterator, type, &number))
    }

    private mutating func string(_ text: String, as type: Int32, to iterator: inout DBusMessageIter)
        throws(BusError)
    {
        try add(text.utf8.count)
        let result = text.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            return dbus_message_iter_append_basic(&iterator, type, &pointer)
        }
        try Self.require(result)
    }

    private static func append(_ descriptor: BusDescriptor, to iterator: inout DBusMessageIter)
        throws(BusError)
    {
        let result = descriptor.withNumber { number in
            var number = number
            return dbus_message_iter_append_basic(&iterator, TypeCode.descriptor, &number)
        }
        guard let result else { throw .invalidArguments("the descriptor has already been taken") }
        try require(result)
    }

    private mutating func append(_ bytes: [UInt8], to iterator: inout DBusMessageIter) throws(BusError) {
        try add(bytes.count)
        try Self.within(TypeCode.array, signature: "y", of: &iterator) { inner throws(BusError) in
            let result = bytes.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress
                // An empty array has no address, and needs no call.
                guard start != nil else { return dbus_bool_t(1) }
                return dbus_message_iter_append_fixed_array(
                    &inner,
                    TypeCode.byte,
                    &start,
                    Int32(buffer.count)
                )
            }
            try Self.require(result)
        }
    }

    private mutating func dictionary(
        _ entries: [BusValue: BusValue],
        keys: String,
        values: String,
        to iterator: inout DBusMessageIter
    ) throws(BusError) {
        let entry = "{" + keys + values + "}"
        guard BusNames.isSingleType("a" + entry) else {
            throw .invalidArguments("\(entry) is not a dictionary type")
        }
        try Self.within(TypeCode.array, signature: entry, of: &iterator) { inner throws(BusError) in
            for (key, value) in entries {
                try Self.require(key, isOf: keys)
                try Self.require(value, isOf: values)
                try container(TypeCode.dictionaryEntry, signature: nil, [key, value], to: &inner)
            }
        }
    }

    private mutating func container(
        _ type: Int32,
        signature: String?,
        _ members: [BusValue],
        to iterator: inout DBusMessageIter
    ) throws(BusError) {
        try Self.within(type, signature: signature, of: &iterator) { inner throws(BusError) in
            for member in members { try append(member, to: &inner) }
        }
    }

    private static func within(
        _ type: Int32,
        signature: String?,
        of iterator: inout DBusMessageIter,
        _ body: (inout DBusMessageIter) throws(BusError) -> Void
    ) throws(BusError) {
        var inner = DBusMessageIter()
        try require(dbus_message_iter_open_container(&iterator, type, signature, &inner))
        do throws(BusError) {
            try body(&inner)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        try require(dbus_message_iter_close_container(&iterator, &inner))
    }

    /// With valid values libdbus returns false only if it is out of memory.
    private static func require(_ result: dbus_bool_t) throws(BusError) {
        guard result != 0 else { throw .standard("NoMemory", "out of memory for a message") }
    }

    private static func require(_ value: BusValue, isOf type: String) throws(BusError) {
        guard value.signature == type else {
            throw .invalidArguments("a value of type \(value.signature) where \(type) is declared")
        }
    }

    private mutating func add(_ bytes: Int) throws(BusError) {
        size += bytes
        guard size <= Self.maximumSize else {
            throw .standard("LimitsExceeded", "the message is larger than \(Self.maximumSize) bytes")
        }
    }
}
