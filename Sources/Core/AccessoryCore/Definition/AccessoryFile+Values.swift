package import PTTMessages

// The values of an accessory file: text, hexadecimal bytes, UUIDs, roles.

extension AccessoryFile {
    func checkCount(_ count: Int, _ limit: Int, _ path: Path) throws(AccessoryFileProblem) {
        guard count <= limit else { throw Problem(path, "has \(count) values; the limit is \(limit)") }
    }

    /// Checks the values of a list, one after the other.
    func values<Text, Value>(
        of texts: [Text],
        _ path: Path,
        _ check: (Text, Path) throws(AccessoryFileProblem) -> Value
    ) throws(AccessoryFileProblem) -> [Value] {
        var values: [Value] = []
        for (index, text) in texts.enumerated() { values.append(try check(text, path + [.index(index)])) }
        return values
    }

    /// Control characters and those that turn the direction of writing could change what a terminal or a log
    /// shows.
    func checkPrintable(_ text: String, _ path: Path) throws(AccessoryFileProblem) {
        guard !text.isEmpty else { throw Problem(path, "is empty") }
        guard text.utf8.count <= Limit.characters else {
            throw Problem(path, "is longer than \(Limit.characters) bytes")
        }
        guard text.isPrintable else { throw Problem(path, "\(quoted(text)) has a control character") }
    }

    /// `09 00`, or `0900`.
    func bytes(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> [UInt8] {
        guard let bytes = [UInt8](hexadecimal: text) else {
            throw Problem(path, "\(quoted(text)) is not hexadecimal bytes: write them as \"09 0A\"")
        }
        guard !bytes.isEmpty else { throw Problem(path, "is empty") }
        guard bytes.count <= Limit.patternBytes else {
            throw Problem(path, "has \(bytes.count) bytes; the limit is \(Limit.patternBytes)")
        }
        return bytes
    }

    func choice<Value: RawRepresentable<String>>(
        _ text: String,
        of known: [Value],
        _ path: Path
    ) throws(AccessoryFileProblem) -> Value {
        if let value = known.first(where: { $0.rawValue == text }) { return value }
        let names = known.map(\.rawValue).joined(separator: ", ")
        throw Problem(path, "\(quoted(text)) is none of \(names)")
    }

    func uuid(_ text: String, _ path: Path) throws(AccessoryFileProblem) -> GattUUID {
        guard let uuid = GattUUID(text) else {
            throw Problem(path, "\(quoted(text)) is not a UUID: write 4, 8 or 36 characters, as in \"ffe0\"")
        }
        return uuid
    }

    func attribute(
        _ service: String,
        _ characteristic: String,
        _ path: Path
    ) throws(AccessoryFileProblem) -> GattAttribute {
        GattAttribute(
            service: try uuid(service, path + ["service"]),
            characteristic: try uuid(characteristic, path + ["characteristic"])
        )
    }

    func role(_ text: some StringProtocol, _ path: Path) throws(AccessoryFileProblem) -> ButtonRole {
        guard let role = ButtonRole(fileText: text) else {
            throw Problem(
                path,
                "\(quoted(String(text))) is not a button: it is one of \(ButtonRole.fileTexts.joined(separator: ", "))"
            )
        }
        return role
    }

    func quoted(_ text: String) -> String {
        "\"" + (text.count > 40 ? text.prefix(40) + "…" : text).escaped + "\""
    }
}

extension ButtonRole {
    /// The roles as an accessory file names them.
    package static let fileTexts = allRoles.map(\.fileText)

    package init?(fileText: some StringProtocol) {
        guard let role = Self.allRoles.first(where: { $0.fileText == fileText }) else { return nil }
        self = role
    }

    package var fileText: String {
        switch self {
        case .secondTalk: "second-talk"
        case .channelUp: "channel-up"
        case .channelDown: "channel-down"
        case .unknown, .talk, .emergency, .multifunction: rawValue
        }
    }
}

extension [UInt8] {
    /// `01 80`
    package var hexadecimal: String {
        map { String(hexadecimal: UInt64($0), digits: 2) }.joined(separator: " ")
    }

    /// - Parameter text: Two digits for each byte; spaces between bytes do not count. Nil for anything else.
    package init?(hexadecimal text: some StringProtocol) {
        self = []
        for group in text.split(separator: " ") {
            let digits = group.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count.isMultiple(of: 2) else { return nil }
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = digits[index], let low = digits[index + 1] else { return nil }
                append(UInt8(high << 4 | low))
            }
        }
    }
}
