/// An enumeration on the sockets. A value that this version does not know decodes to `unknown`,
/// so that a newer peer can never stop an older one.
package protocol WireEnum: RawRepresentable<String>, Codable, CaseIterable, Hashable, Sendable {
    static var unknown: Self { get }
}

/// No word is longer; a longer text need not be looked up.
private let longestWord = 64

extension WireEnum {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self = text.utf8.count <= longestWord ? Self(rawValue: text) ?? .unknown : .unknown
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
