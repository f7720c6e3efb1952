extension AccessoryFile {
    func accessoryMatch(for input: AccessoryInput) throws(AccessoryFileProblem) -> AccessoryMatch {
        var services: [GattUUID] = []
        for (index, text) in try list(match.service, "service").enumerated() {
            services.append(try uuid(text, ["match", "service", .index(index)]))
        }
        var products: [ProductID] = []
        for (index, text) in try list(match.product, "product").enumerated() {
            products.append(try product(text, ["match", "product", .index(index)]))
        }
        var transports: [InputTransport] = []
        for (index, text) in try list(match.transport, "transport").enumerated() {
            guard let transport = InputTransport(rawValue: text) else {
                let known = InputTransport.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(["match", "transport", .index(index)], "\(quoted(text)) is none of \(known)")
            }
            transports.append(transport)
        }
        let result = AccessoryMatch(
            services: services,
            names: try patterns(match.name, "name"),
            excludedNames: try patterns(match.notName, "not-name"),
            addresses: try addresses(),
            products: products,
            transports: transports,
            hints: try patterns(match.hint, "hint")
        )
        try check(result, fits: input)
        return result
    }

    private func check(_ result: AccessoryMatch, fits input: AccessoryInput) throws(AccessoryFileProblem) {
        switch input {
        case .gatt, .serial:
            if !result.products.isEmpty {
                throw Problem(["match", "product"], "is only for an input with keys")
            }
            if !result.transports.isEmpty {
                throw Problem(["match", "transport"], "is only for an input with keys")
            }
        case .keys:
            if !result.services.isEmpty { throw Problem(["match", "service"], "an input device has none") }
            if !result.addresses.isEmpty { throw Problem(["match", "address"], "an input device has none") }
            if !result.hints.isEmpty { throw Problem(["match", "hint"], "a scan finds no input devices") }
        }
        if result.services.isEmpty, result.names.isEmpty, result.addresses.isEmpty, result.products.isEmpty,
            result.transports.isEmpty
        {
            throw Problem(["match"], "says nothing that a device must have: it would match every device")
        }
        for name in result.excludedNames
        where result.names.contains(where: { $0.lowercased() == name.lowercased() }) {
            throw Problem(["match", "not-name"], "\(quoted(name)) is also in name")
        }
    }

    private func list(_ texts: [String]?, _ key: String) throws(AccessoryFileProblem) -> [String] {
        guard let texts else { return [] }
        if texts.isEmpty { throw Problem(["match", .key(key)], "is empty") }
        try checkCount(texts.count, Limit.list, ["match", .key(key)])
        return texts
    }

    private func patterns(_ texts: [String]?, _ key: String) throws(AccessoryFileProblem) -> [String] {
        let texts = try list(texts, key)
        for (index, text) in texts.enumerated() {
            let path: Path = ["match", .key(key), .index(index)]
            try checkPrintable(text, path)
            var inner = text[...]
            if inner.hasPrefix("*") { inner.removeFirst() }
            if inner.hasSuffix("*") { inner.removeLast() }
            if inner.isEmpty { throw Problem(path, "\(quoted(text)) is every name") }
            if inner.contains("*") {
                throw Problem(path, "\(quoted(text)): a * is at the begin or the end of a name")
            }
        }
        return texts
    }

    private func addresses() throws(AccessoryFileProblem) -> [String] {
        var addresses: [String] = []
        for (index, text) in try list(match.address, "address").enumerated() {
            guard isAddress(text) else {
                throw Problem(
                    ["match", "address", .index(index)],
                    "\(quoted(text)) is not a Bluetooth address: write A4:C1:38:01:02:03, or A4:C1:38:*"
                )
            }
            addresses.append(text.uppercased())
        }
        return addresses
    }

    private func isAddress(_ text: String) -> Bool {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        let isPrefix = groups.last == "*"
        let octets = isPrefix ? groups.dropLast() : groups[...]
        return (isPrefix ? (1...5).contains(octets.count) : octets.count == 6)
            && octets.allSatisfy { $0.utf8.count == 2 && hexadecimalBytes($0) != nil }
    }

    /// `046d:0a37`
    private func product(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> ProductID {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).compactMap {
            $0.utf8.count == 4 ? hexadecimalBytes($0) : nil
        }
        guard text.utf8.count == 9, numbers.count == 2, numbers[0].count == 2, numbers[1].count == 2 else {
            throw Problem(path, "\(quoted(text)) is not vendor and product: write them as 046d:0a37")
        }
        return ProductID(
            vendor: UInt16(numbers[0][0]) << 8 | UInt16(numbers[0][1]),
            product: UInt16(numbers[1][0]) << 8 | UInt16(numbers[1][1])
        )
    }
}
