import Foundation

/// `mumble://user@host:port/Channel/Subchannel`
public struct ServerAddress: Hashable, Sendable {
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    public static let defaultPort = 64_738

    public let user: String
    /// In small letters, which make no other host, so that a server has one name for all that is known of it.
    public let host: String
    public let port: Int
    /// The channel, as names from the root on. Empty: where the server puts us.
    public let path: [String]
    /// Of the server.
    public let password: String?

    /// - Parameters:
    ///   - text: The address. No error repeats it, because of its password.
    ///   - mayHavePassword: Not among the arguments of a program, which other people can read.
    /// - Throws: ``Invalid``
    public init(_ text: String, mayHavePassword: Bool = false) throws(Invalid) {
        guard let url = URLComponents(string: text), url.scheme?.lowercased() == "mumble",
            let host = url.host, !host.isEmpty
        else { throw Invalid(description: "it is no address of Mumble: write mumble://user@host/Channel") }
        guard let user = url.user, !user.isEmpty else {
            throw Invalid(description: "the address has no user: write mumble://user@\(host)/Channel")
        }
        guard url.password == nil || mayHavePassword else {
            throw Invalid(
                description: "write no password into the address, where others can read it: put it into the"
                    + " environment variable PTT_MUMBLE_PASSWORD, or the address into mumble.toml"
            )
        }
        // As it is in the file of known servers, between quotes in a command, and for people.
        guard
            host.unicodeScalars.allSatisfy({
                !$0.properties.isWhitespace && $0.value >= 0x20 && $0 != "'"
            })
        else {
            throw Invalid(description: "the address has no host that can be")
        }
        let port = url.port ?? Self.defaultPort
        guard 1...65_535 ~= port else { throw Invalid(description: "\(port) is no port") }
        self.user = user
        // An IPv6 address is in brackets, and may have the name of an interface, whose letters count.
        self.host = host.contains(":") ? host.trimmingCharacters(in: ["[", "]"]) : host.lowercased()
        self.port = port
        password = url.password
        path = url.path.split(separator: "/").map { String($0) }
    }

    public var server: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// - Returns: The message if the certificate of the server is not the known one.
    public func change(ofCertificate known: String, to shown: String) -> String {
        "the certificate of \(server) has changed. It was SHA-256 \(known), it is SHA-256 \(shown)"
    }

    /// Of the channel for people: its own name, or that of the server.
    public var name: String { path.last ?? host }
}
