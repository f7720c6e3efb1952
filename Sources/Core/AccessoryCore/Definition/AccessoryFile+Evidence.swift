import PTTMessages

// What a file claims to know, and from where.

extension AccessoryFile {
    /// Checks that the sources are as many as the claim needs. Whether they say what the file says only a
    /// reader can find out.
    func checkedConfidence() throws(AccessoryFileProblem) -> AccessoryDefinition.Confidence {
        let claim = try choice(confidence, of: AccessoryDefinition.Confidence.allCases, ["confidence"])
        let sources = try checkedAddresses(evidence, "evidence")
        let captures = try checkedAddresses(capture, "capture")
        switch claim {
        case .verified:
            guard captures.isEmpty, Set(sources.map(\.publisher)).count < 2 else { break }
            throw Problem(
                ["confidence"],
                "verified needs the address of a capture, or two in evidence of different publishers"
            )
        case .secondHand:
            guard captures.isEmpty, sources.isEmpty else { break }
            throw Problem(["confidence"], "second-hand needs the address of its source in evidence")
        case .unverified, .learned: break
        }
        return claim
    }

    private func checkedAddresses(_ texts: [String]?, _ key: String) throws(AccessoryFileProblem)
        -> [SourceAddress]
    {
        let texts = texts ?? []
        try checkCount(texts.count, Limit.list, [.key(key)])
        return try values(of: texts, [.key(key)]) { text, path throws(AccessoryFileProblem) in
            try checkPrintable(text, path)
            guard let address = SourceAddress(text) else {
                throw Problem(path, "\(quoted(text)) is not the address of a page: it begins with https://")
            }
            return address
        }
    }
}

/// The address of a page.
private struct SourceAddress {
    /// The host, and on a host of many the account: two pages of one publisher are one source.
    let publisher: String

    private static let sharedHosts = ["github.com", "gitlab.com", "codeberg.org"]

    init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme), !text.utf8.contains(UInt8(ascii: " ")) else { return nil }
        let parts = text.dropFirst(scheme.count).lowercased().split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        guard let host = parts.first, host.utf8.contains(UInt8(ascii: ".")) else { return nil }
        publisher =
            Self.sharedHosts.contains(String(host)) && parts.count > 1 ? "\(host)/\(parts[1])" : String(host)
    }
}
