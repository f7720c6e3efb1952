import PTTMessages

// The certainty that a file claims, and its sources.

extension AccessoryFile {
    /// Checks that the sources are as many as the claim needs. Whether they say what the file says only a
    /// reader can find out.
    func checkedConfidence() throws(AccessoryFileProblem) -> AccessoryDefinition.Confidence {
        let claim = try choice(confidence, of: AccessoryDefinition.Confidence.allCases, ["confidence"])
        let sources = try checkedAddresses(evidence, "evidence")
        let captures = try checkedAddresses(capture, "capture")
        switch claim {
        case .verified:
            guard captures.isEmpty, Set(sources).count < 2 else { break }
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

    /// - Returns: The publishers.
    private func checkedAddresses(_ texts: [String]?, _ key: String) throws(AccessoryFileProblem) -> [String]
    {
        let texts = texts ?? []
        try checkCount(texts.count, Limit.list, [.key(key)])
        return try values(of: texts, [.key(key)]) { text, path throws(AccessoryFileProblem) in
            try checkPrintable(text, path)
            guard let publisher = publisher(of: text) else {
                throw Problem(path, "\(quoted(text)) is not the address of a page: it begins with https://")
            }
            return publisher
        }
    }

    /// The publisher of a page: the host, and on a host of many the account. Two pages of one publisher are
    /// one source. Nil if the text is not the address of a page.
    private func publisher(of text: String) -> String? {
        let scheme = "https://"
        guard text.hasPrefix(scheme), !text.utf8.contains(UInt8(ascii: " ")) else { return nil }
        let parts = text.dropFirst(scheme.count).lowercased().split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        guard let host = parts.first, host.utf8.contains(UInt8(ascii: ".")) else { return nil }
        let isShared = ["github.com", "gitlab.com", "codeberg.org"].contains(String(host))
        return isShared && parts.count > 1 ? "\(host)/\(parts[1])" : String(host)
    }
}
