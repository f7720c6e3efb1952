/// How closely a file describes a device. Of the files that match, the one with the greatest counts.
package enum MatchSpecificity: Int, Comparable, CaseIterable, Sendable {
    case name
    case transport
    case transportAndName
    /// A service with a short UUID, which unrelated devices may use.
    case assignedService
    case ownService
    case serviceAndName
    case product
    case address

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The comparison of a device with one accessory file.
package struct MatchResult: Equatable, Sendable {
    /// Nil if the file is not about the device.
    package let specificity: MatchSpecificity?
    /// A sentence for each key of `match`: those that do not hold if there are any, else all.
    package let reasons: [String]
}

extension AccessoryDefinition {
    /// Whether this file is about a device. All keys of `match` must hold.
    package func matches(_ device: DeviceDescription) -> MatchResult {
        var holding: [String] = []
        var failing: [String] = []
        func note(_ holds: Bool, _ text: String) {
            if holds { holding.append(text) } else { failing.append(text) }
        }
        let hasName = noteName(of: device, note)
        let specificity: MatchSpecificity
        switch (device.link, input) {
        case (.bluetooth(let address, let services), .gatt), (.bluetooth(let address, let services), .serial):
            specificity = noteBluetooth(address, services, hasName: hasName, note)
        case (.input(let transport, let product, let keys), .keys(let input)):
            specificity = noteInput(transport, product, keys, input, hasName: hasName, note)
        case (.bluetooth, .keys): return MatchResult(specificity: nil, reasons: ["it is about input devices"])
        case (.input, .gatt), (.input, .serial):
            return MatchResult(specificity: nil, reasons: ["it is about Bluetooth devices"])
        }
        guard failing.isEmpty else { return MatchResult(specificity: nil, reasons: failing) }
        return MatchResult(specificity: specificity, reasons: holding)
    }

    /// - Returns: Whether the file asks for a name.
    private func noteName(of device: DeviceDescription, _ note: (Bool, String) -> Void) -> Bool {
        if !match.names.isEmpty {
            let found = device.name.flatMap { name in match.names.first { namePattern($0, matches: name) } }
            note(
                found != nil,
                found.map { "the name is \($0)" } ?? "the name is not \(match.names.joined(separator: ", "))"
            )
        }
        if let name = device.name,
            let excluded = match.excludedNames.first(where: { namePattern($0, matches: name) })
        {
            note(false, "the name is \(excluded), which the file excludes")
        }
        return !match.names.isEmpty
    }

    private func noteBluetooth(
        _ address: String,
        _ services: [String],
        hasName: Bool,
        _ note: (Bool, String) -> Void
    ) -> MatchSpecificity {
        var specificity = MatchSpecificity.name
        if !match.services.isEmpty {
            let known = Set(services.compactMap { GattUUID($0) })
            let found = match.services.filter { known.contains($0) }
            note(
                !found.isEmpty,
                found.first.map { "it has the service \($0.shortText)" }
                    ?? "it does not have the service \(match.services.map(\.shortText).joined(separator: ", "))"
            )
            let isOwn = found.contains { !$0.isShort }
            specificity = hasName ? .serviceAndName : isOwn ? .ownService : .assignedService
        }
        if !match.addresses.isEmpty {
            let found = match.addresses.first { addressPattern($0, matches: address) }
            note(
                found != nil,
                found.map { "the address is \($0)" }
                    ?? "the address is not \(match.addresses.joined(separator: ", "))"
            )
            specificity = .address
        }
        return specificity
    }

    private func noteInput(
        _ transport: InputTransport,
        _ product: ProductID,
        _ keys: Set<UInt16>,
        _ input: KeyInput,
        hasName: Bool,
        _ note: (Bool, String) -> Void
    ) -> MatchSpecificity {
        var specificity = MatchSpecificity.name
        if !match.transports.isEmpty {
            let texts = match.transports.map(\.rawValue).joined(separator: ", ")
            note(match.transports.contains(transport), "the transport is \(transport.rawValue), of \(texts)")
            specificity = hasName ? .transportAndName : .transport
        }
        if !match.products.isEmpty {
            let texts = match.products.map(\.text).joined(separator: ", ")
            note(match.products.contains(product), "vendor and product are \(product.text), of \(texts)")
            specificity = .product
        }
        let present = input.meanings.keys.filter { keys.contains($0) }.sorted()
        let texts = present.map { KeyName.name(of: $0) ?? "\($0)" }.joined(separator: ", ")
        note(!present.isEmpty, present.isEmpty ? "it has none of the keys" : "it has \(texts)")
        return specificity
    }
}

/// Upper and lower case are equal, and a `*` at the begin or the end stands for any text.
func namePattern(_ pattern: String, matches name: String) -> Bool {
    var pattern = pattern.lowercased()[...]
    let name = name.lowercased()
    let isOpenAtStart = pattern.hasPrefix("*")
    if isOpenAtStart { pattern.removeFirst() }
    let isOpenAtEnd = pattern.hasSuffix("*")
    if isOpenAtEnd { pattern.removeLast() }
    switch (isOpenAtStart, isOpenAtEnd) {
    case (false, false): return name == pattern
    case (false, true): return name.hasPrefix(pattern)
    case (true, false): return name.hasSuffix(pattern)
    case (true, true): return name.contains(pattern)
    }
}

private func addressPattern(_ pattern: String, matches address: String) -> Bool {
    let address = address.uppercased()
    return pattern.hasSuffix("*") ? address.hasPrefix(pattern.dropLast()) : address == pattern
}

extension ProductID {
    /// `046d:0a37`
    package var text: String {
        [vendor, product].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }.joined(separator: ":")
    }
}

extension GattUUID {
    private static let base = GattUUID(assigned: 0)

    /// Whether it lies on the Bluetooth Base UUID.
    package var isShort: Bool { text.dropFirst(8) == Self.base.text.dropFirst(8) }

    /// As people write it: 4, 8 or 36 characters.
    package var shortText: String {
        guard isShort else { return text }
        return text.hasPrefix("0000") ? String(text.dropFirst(4).prefix(4)) : String(text.prefix(8))
    }
}
