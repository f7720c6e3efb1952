import PTTMessages

/// The degree to which a file describes a device. Of the files that match, the one with the greatest counts.
///
/// A service of its own says more of the protocol than any name: devices with two protocols keep the name, as
/// an AINA V2 has the serial port and the name of a V1 beside its own service. A name says more than a
/// service that it shares with unrelated devices, and between two files for the same service the one that
/// also asks for a name is meant.
package enum MatchSpecificity: Comparable, Sendable {
    case name
    case transport
    case transportAndName
    /// A service that unrelated devices have as well.
    case sharedService
    case sharedServiceAndName
    case ownService
    case ownServiceAndName
    case product
    case address
}

/// The comparison of a device with one accessory file.
package struct MatchResult: Equatable, Sendable {
    /// Nil if the file is not about the device.
    package let specificity: MatchSpecificity?
    /// A sentence for each key of `match`: those that do not hold if there are any, else all.
    package let reasons: [String]
}

extension AccessoryDefinition {
    /// Returns whether this file is about a device, and why. All keys of `match` must hold.
    package func matches(_ device: DeviceDescription) -> MatchResult {
        var comparison = Comparison()
        compareName(device, &comparison)
        let specificity: MatchSpecificity
        switch (device.link, input) {
        case (.bluetooth(let address, let services), .gatt),
            (.bluetooth(let address, let services), .serial),
            (.bluetooth(let address, let services), .advertisements):
            specificity = compareBluetooth(address, services, &comparison)
        case (.input(let transport, let product, let keys), .keys(let input)):
            specificity = compareInput(transport, product, keys, input, &comparison)
        case (.bluetooth, .keys):
            return MatchResult(specificity: nil, reasons: ["it is about input devices"])
        case (.input, .gatt), (.input, .serial), (.input, .advertisements):
            return MatchResult(specificity: nil, reasons: ["it is about Bluetooth devices"])
        }
        return comparison.failing.isEmpty
            ? MatchResult(specificity: specificity, reasons: comparison.holding)
            : MatchResult(specificity: nil, reasons: comparison.failing)
    }

    private func compareName(_ device: DeviceDescription, _ comparison: inout Comparison) {
        if !match.names.isEmpty {
            let found = device.name.flatMap { name in match.names.first { namePattern($0, matches: name) } }
            comparison.note(
                found != nil,
                found.map { "the name is \($0)" } ?? "the name is not \(match.names.joined(separator: ", "))"
            )
        }
        guard let name = device.name,
            let excluded = match.excludedNames.first(where: { namePattern($0, matches: name) })
        else { return }
        comparison.note(false, "the name is \(excluded), which the file excludes")
    }

    private func compareBluetooth(
        _ address: String,
        _ services: Set<GattUUID>,
        _ comparison: inout Comparison
    ) -> MatchSpecificity {
        var specificity = MatchSpecificity.name
        if !match.services.isEmpty {
            let found = match.services.filter { services.contains($0) }
            comparison.note(
                !found.isEmpty,
                found.first.map { "it has the service \($0.shortText)" }
                    ?? "it does not have the service \(match.services.map(\.shortText).joined(separator: ", "))"
            )
            specificity =
                switch (found.contains { !$0.isShared }, match.names.isEmpty) {
                case (false, true): .sharedService
                case (false, false): .sharedServiceAndName
                case (true, true): .ownService
                case (true, false): .ownServiceAndName
                }
        }
        if !match.addresses.isEmpty {
            let found = match.addresses.first { addressPattern($0, matches: address) }
            comparison.note(
                found != nil,
                found.map { "the address is \($0)" }
                    ?? "the address is not \(match.addresses.joined(separator: ", "))"
            )
            specificity = .address
        }
        return specificity
    }

    private func compareInput(
        _ transport: InputTransport,
        _ product: ProductID,
        _ keys: Set<UInt16>,
        _ input: KeyInput,
        _ comparison: inout Comparison
    ) -> MatchSpecificity {
        var specificity = MatchSpecificity.name
        if !match.transports.isEmpty {
            comparison.note(
                match.transports.contains(transport),
                "the transport is \(transport.rawValue), of "
                    + match.transports.map(\.rawValue).joined(separator: ", ")
            )
            specificity = match.names.isEmpty ? .transport : .transportAndName
        }
        if !match.products.isEmpty {
            comparison.note(
                match.products.contains(product),
                "vendor and product are \(product.text), of \(match.products.map(\.text).joined(separator: ", "))"
            )
            specificity = .product
        }
        let present = input.meanings.keys.filter { keys.contains($0) }.sorted()
        comparison.note(
            !present.isEmpty,
            present.isEmpty
                ? "it has none of the keys"
                : "it has \(present.map { KeyName.name(of: $0) ?? "\($0)" }.joined(separator: ", "))"
        )
        return specificity
    }
}

/// The reasons that were found for each key of `match`.
private struct Comparison {
    private(set) var holding: [String] = []
    private(set) var failing: [String] = []

    mutating func note(_ holds: Bool, _ reason: String) {
        if holds { holding.append(reason) } else { failing.append(reason) }
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
    case (true, true): return contains(name, pattern)
    }
}

/// `contains` of the standard library would link its regular expressions into the program, 2 MB of code.
private func contains(_ text: String, _ part: Substring) -> Bool {
    part.isEmpty || text.indices.contains { text[$0...].starts(with: part) }
}

private func addressPattern(_ pattern: String, matches address: String) -> Bool {
    let address = address.uppercased()
    return pattern.hasSuffix("*") ? address.hasPrefix(pattern.dropLast()) : address == pattern
}

extension ProductID {
    /// `046d:0a37`
    package var text: String {
        [vendor, product].map { String(hexadecimal: UInt64($0), digits: 4) }.joined(separator: ":")
    }

    /// - Parameter text: As ``text`` is; digits may also be in upper case. Nil for anything else.
    package init?(_ text: String) {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).compactMap {
            $0.utf8.count == 4 ? [UInt8](hexadecimal: $0) : nil
        }
        guard text.utf8.count == 9, numbers.count == 2, numbers[0].count == 2, numbers[1].count == 2 else {
            return nil
        }
        self.init(
            vendor: UInt16(numbers[0][0]) << 8 | UInt16(numbers[0][1]),
            product: UInt16(numbers[1][0]) << 8 | UInt16(numbers[1][1])
        )
    }
}

extension GattUUID {
    /// Nordic's UART, which is in many products, as the services of the Bluetooth Base UUID are.
    private static let nordicUART = GattUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")

    /// True if unrelated devices have this service.
    fileprivate var isShared: Bool { assigned != nil || self == Self.nordicUART }

    /// As people write it: 4, 8 or 36 characters.
    package var shortText: String {
        assigned.map { String(hexadecimal: UInt64($0), digits: $0 > 0xFFFF ? 8 : 4) } ?? text
    }
}
