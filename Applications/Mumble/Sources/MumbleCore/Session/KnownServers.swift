/// The certificates of the servers that were used before: one line each, the server and the SHA-256 of its
/// certificate. Servers mostly have certificates that nobody has signed, so that the first one counts, until
/// a person appends another line.
public struct KnownServers: Sendable {
    private var lines: [String]

    public init(_ text: String) {
        lines = text.split(whereSeparator: \.isNewline).map { String($0) }
    }

    public var text: String { lines.map { "\($0)\n" }.joined() }

    /// - Returns: The certificate that this server had when it was used first, or that was accepted last, in
    ///   whatever case its name was written.
    public func fingerprint(of server: String) -> String? {
        let server = server.lowercased()
        for line in lines.reversed() {
            let words = line.split(separator: " ")
            if words.count == 2, words[0].lowercased() == server { return String(words[1]) }
        }
        return nil
    }

    /// Remembers a server that is new.
    public mutating func add(_ server: String, _ fingerprint: String) {
        guard self.fingerprint(of: server) == nil else { return }
        lines.append("\(server) \(fingerprint)")
    }
}
