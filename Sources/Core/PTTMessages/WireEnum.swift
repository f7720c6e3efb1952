/// An enumeration on the sockets. A value that this version does not have decodes to `unknown`, so that a
/// newer peer cannot break an older one.
package protocol WireEnum: RawRepresentable<String>, Codable, CaseIterable, Hashable, Sendable {
    static var unknown: Self { get }
}

/// No value is longer, in bytes; a longer text is not compared with them.
private let longestValue = 64

extension WireEnum {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self = text.utf8.count <= longestValue ? Self(rawValue: text) ?? .unknown : .unknown
    }
}
