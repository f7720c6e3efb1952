/// A channel of a server, to which the program talks.
public struct Destination: Equatable, Sendable {
    /// As a person calls it: by a name of the list, or by the address.
    public let text: String
    public let address: ServerAddress

    public init(text: String, address: ServerAddress) {
        (self.text, self.address) = (text, address)
    }
}

/// The channels to which a person has given names: lines of `NAME = "ADDRESS"`. That is TOML, of which they
/// need no more.
public struct ChannelList: Sendable {
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    /// In the order of the lines.
    private var destinations: [Destination] = []

    public init(_ text: String) throws(Invalid) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where line.wholeMatch(of: /\s*(#.*)?/) == nil {
            let number = index + 1
            guard let match = line.wholeMatch(of: /\s*([A-Za-z0-9_-]+)\s*=\s*"([^"\\]*)"\s*(#.*)?/) else {
                throw Invalid(description: "line \(number): write NAME = \"mumble://user@host/Channel\"")
            }
            let name = String(match.1)
            guard destination(name) == nil else {
                throw Invalid(description: "line \(number): \(name) is there before, give it another name")
            }
            do {
                let address = try ServerAddress(String(match.2), mayHavePassword: true)
                destinations.append(Destination(text: name, address: address))
            } catch {
                throw Invalid(description: "line \(number), \(name): \(error)")
            }
        }
    }

    public var names: [String] { destinations.map(\.text) }

    public var hasPassword: Bool { destinations.contains { $0.address.password != nil } }

    public func destination(_ name: String) -> Destination? { destinations.first { $0.text == name } }

    /// - Parameters:
    ///   - destination: Where we are. From one that is not in the list the next is its first, the one before
    ///     its last.
    ///   - isNext: True for the next one, false for the one before. After the last comes the first.
    /// - Returns: Nil if there is no other.
    public func neighbour(of destination: Destination, isNext: Bool) -> Destination? {
        guard let index = destinations.firstIndex(where: { $0.text == destination.text }) else {
            return isNext ? destinations.first : destinations.last
        }
        guard destinations.count > 1 else { return nil }
        return destinations[(index + (isNext ? 1 : -1) + destinations.count) % destinations.count]
    }
}
