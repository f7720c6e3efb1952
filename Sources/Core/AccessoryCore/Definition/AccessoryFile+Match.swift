extension AccessoryFile {
    func accessoryMatch(for input: AccessoryInput) throws(AccessoryFileProblem) -> AccessoryMatch {
        let services = try list(match.service, "service", of: uuid)
        let products = try list(match.product, "product", of: product)
        let transports = try list(match.transport, "transport", of: transport)
        let result = AccessoryMatch(
            services: services,
            names: try list(match.name, "name", of: pattern),
            excludedNames: try list(match.notName, "not-name", of: pattern),
            addresses: try list(match.address, "address", of: address),
            products: products,
            transports: transports,
            hints: try list(match.hint, "hint", of: pattern)
        )
        try check(result, fits: input)
        return result
    }

    private func check(_ result: AccessoryMatch, fits input: AccessoryInput) throws(AccessoryFileProblem) {
        switch input {
        case .gatt, .serial, .advertisements:
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

    private func list<Value>(
        _ texts: [String]?,
        _ key: String,
        of value: (String, Path) throws(AccessoryFileProblem) -> Value
    ) throws(AccessoryFileProblem) -> [Value] {
        guard let texts else { return [] }
        if texts.isEmpty { throw Problem(["match", .key(key)], "is empty") }
        try checkCount(texts.count, Limit.list, ["match", .key(key)])
        return try values(of: texts, ["match", .key(key)], value)
    }

    private func pattern(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> String {
        try checkPrintable(text, path)
        var inner = text[...]
        if inner.hasPrefix("*") { inner.removeFirst() }
        if inner.hasSuffix("*") { inner.removeLast() }
        if inner.isEmpty { throw Problem(path, "\(quoted(text)) is every name") }
        if inner.contains("*") {
            throw Problem(path, "\(quoted(text)): a * is at the begin or the end of a name")
        }
        return text
    }

    private func address(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> String {
        guard isAddress(text) else {
            throw Problem(
                path,
                "\(quoted(text)) is not a Bluetooth address: write A4:C1:38:01:02:03, or A4:C1:38:*"
            )
        }
        return text.uppercased()
    }

    private func transport(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> InputTransport {
        try choice(text, of: InputTransport.allCases, path)
    }

    private func isAddress(_ text: String) -> Bool {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        let isPrefix = groups.last == "*"
        let octets = isPrefix ? groups.dropLast() : groups[...]
        return (isPrefix ? (1...5).contains(octets.count) : octets.count == 6)
            && octets.allSatisfy { $0.utf8.count == 2 && [UInt8](hexadecimal: $0) != nil }
    }

    /// `046d:0a37`
    private func product(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> ProductID {
        guard let product = ProductID(text) else {
            throw Problem(path, "\(quoted(text)) is not vendor and product: write them as 046d:0a37")
        }
        return product
    }
}
