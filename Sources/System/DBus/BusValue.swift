/// A value of any D-Bus type. Type codes are those of the D-Bus specification ("Type System").
///
/// The accessors look through variants and return nil for a value of another type, so that one `guard`
/// handles a peer that sends something unexpected. Text is compared by its bytes.
package enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case text(BusKey)
    case objectPath(ObjectPath)
    case signature(String)
    case descriptor(BusDescriptor)
    /// An array of bytes, `ay`. A received one is always this case.
    case bytes([UInt8])
    /// An array of any other type; `of` is the type of its elements.
    case array(of: String, [BusValue])
    /// An array of dictionary entries, `a{…}`; the keys are of a basic type.
    case dictionary(keys: String, values: String, [BusValue: BusValue])
    /// At least one member.
    case structure([BusValue])
    indirect case variant(BusValue)

    /// The type of this value as a D-Bus signature.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .text: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let keys, let values, _): "a{" + keys + values + "}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }
}

// MARK: - Making values

extension BusValue {
    package static func string(_ text: String) -> BusValue { .text(BusKey(text)) }

    /// The usual dictionary of properties or options, `a{sv}`. The values are wrapped in variants.
    package static func properties(_ properties: [BusKey: BusValue]) -> BusValue {
        var entries: [BusValue: BusValue] = [:]
        for (name, value) in properties { entries[.text(name)] = .variant(value) }
        return .dictionary(keys: "s", values: "v", entries)
    }

    package static func strings(_ strings: [String]) -> BusValue {
        .array(of: "s", strings.map { .string($0) })
    }
}

// MARK: - Reading values

extension BusValue {
    /// This value without the variants around it.
    package var unwrapped: BusValue {
        var value = self
        while case .variant(let inner) = value { value = inner }
        return value
    }

    package var asBool: Bool? {
        if case .boolean(let flag) = unwrapped { flag } else { nil }
    }

    /// Any of the whole number types.
    package var asInt: Int? {
        switch unwrapped {
        case .byte(let number): Int(number)
        case .int16(let number): Int(number)
        case .uint16(let number): Int(number)
        case .int32(let number): Int(number)
        case .uint32(let number): Int(number)
        case .int64(let number): Int(exactly: number)
        case .uint64(let number): Int(exactly: number)
        case .boolean, .double, .text, .objectPath, .signature, .descriptor, .bytes, .array, .dictionary,
            .structure, .variant:
            nil
        }
    }

    package var asString: String? {
        if case .text(let key) = unwrapped { key.text } else { nil }
    }

    package var asObjectPath: ObjectPath? {
        if case .objectPath(let path) = unwrapped { path } else { nil }
    }

    package var asDescriptor: BusDescriptor? {
        if case .descriptor(let descriptor) = unwrapped { descriptor } else { nil }
    }

    package var asBytes: [UInt8]? {
        if case .bytes(let bytes) = unwrapped { bytes } else { nil }
    }

    package var asArray: [BusValue]? {
        if case .array(_, let elements) = unwrapped { elements } else { nil }
    }

    /// An array of strings; nil if any element is something else.
    package var asStrings: [String]? {
        guard let elements = asArray else { return nil }
        let strings = elements.compactMap(\.asString)
        return strings.count == elements.count ? strings : nil
    }

    package var asStructure: [BusValue]? {
        if case .structure(let members) = unwrapped { members } else { nil }
    }

    package var asDictionary: [BusValue: BusValue]? {
        if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
    }

    /// A dictionary with string keys, its values without variants around them.
    package var asProperties: [BusKey: BusValue]? {
        guard let entries = asDictionary else { return nil }
        var properties: [BusKey: BusValue] = [:]
        for (key, value) in entries {
            guard case .text(let name) = key else { return nil }
            properties[name] = value.unwrapped
        }
        return properties
    }

    /// The interfaces of one object with their properties, as `InterfacesAdded` carries them.
    package var asInterfaces: [BusKey: [BusKey: BusValue]]? {
        guard let interfaces = asProperties else { return nil }
        let read = interfaces.compactMapValues(\.asProperties)
        return read.count == interfaces.count ? read : nil
    }

    /// The result of `ObjectManager.GetManagedObjects`.
    package var asManagedObjects: [ObjectPath: [BusKey: [BusKey: BusValue]]]? {
        guard let entries = asDictionary else { return nil }
        var objects: [ObjectPath: [BusKey: [BusKey: BusValue]]] = [:]
        for (key, value) in entries {
            guard let path = key.asObjectPath, let interfaces = value.asInterfaces else { return nil }
            objects[path] = interfaces
        }
        return objects
    }
}
