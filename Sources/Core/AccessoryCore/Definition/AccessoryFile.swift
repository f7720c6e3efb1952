/// The keys of an accessory file, as they are written. ``definition(identifier:)`` checks them.
///
/// `Documentation/Accessories.md` says what they mean.
package struct AccessoryFile: Decodable, Equatable, Sendable {
    let name: String
    let confidence: String
    let evidence: [String]?
    let capture: [String]?
    let match: Match
    let connect: Connect?
    let input: [Input]
    let gesture: Gesture?
    let led: LED?
    let battery: Attribute?
    let example: [Example]?

    struct Match: Decodable, Equatable, Sendable {
        let service: [String]?
        let name: [String]?
        let notName: [String]?
        let address: [String]?
        let product: [String]?
        let transport: [String]?
        let hint: [String]?

        enum CodingKeys: String, CodingKey {
            case service, name, address, product, transport, hint
            case notName = "not-name"
        }
    }

    struct Connect: Decodable, Equatable, Sendable {
        let bond: String?
        let write: [Write]?
    }

    struct Write: Decodable, Equatable, Sendable {
        let service: String
        let characteristic: String
        let value: String?
        let setBits: String?

        enum CodingKeys: String, CodingKey {
            case service, characteristic, value
            case setBits = "set-bits"
        }
    }

    struct Input: Decodable, Equatable, Sendable {
        let service: String?
        let characteristic: String?
        let serial: String?
        let advertisement: String?
        let bytes: [String: Meanings]?
        let values: [String: Meanings]?
        let bits: [String: String]?
        let ignore: String?
        let tokens: [String: Meanings]?
        let strip: String?
        let others: String?
        let keys: [String: String]?
    }

    struct Gesture: Decodable, Equatable, Sendable {
        let mode: String?
        let shortestPress: Double?
        let releaseAfter: Double?

        enum CodingKeys: String, CodingKey {
            case mode
            case shortestPress = "shortest-press"
            case releaseAfter = "release-after"
        }
    }

    struct LED: Decodable, Equatable, Sendable {
        let service: String
        let characteristic: String
        let transmitting: String
        let idle: String
    }

    struct Attribute: Decodable, Equatable, Sendable {
        let service: String
        let characteristic: String
    }

    struct Example: Decodable, Equatable, Sendable {
        let title: String
        let steps: [Step]
    }

    struct Step: Decodable, Equatable, Sendable {
        let send: String?
        let input: Int?
        let lose: Bool?
        let after: Double?
        let expect: [String]
    }

    /// One meaning, or an array of them.
    struct Meanings: Decodable, Equatable, Sendable {
        let texts: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                // Not a string: the array's error is the one that people get.
                texts = [text]
            } else {
                texts = try container.decode([String].self)
            }
        }
    }
}

/// A fault in an accessory file.
package struct AccessoryFileProblem: Error, Equatable, Sendable {
    /// A step from a table to one of its values.
    package enum Step: Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        case key(String)
        case index(Int)

        package init(stringLiteral value: String) { self = .key(value) }
        package init(integerLiteral value: Int) { self = .index(value) }
    }

    /// The place, from the outermost table on; empty for the whole file.
    package let path: [Step]
    /// A sentence for people.
    package let reason: String

    init(_ path: [Step], _ reason: String) {
        self.path = path
        self.reason = reason
    }
}

extension AccessoryFileProblem: CustomStringConvertible {
    /// `input[0].bytes: "0g" is not hexadecimal bytes`
    package var description: String {
        var place = ""
        for step in path {
            switch step {
            // The key of a pattern is quoted in the reason.
            case .key(let key) where !key.isEmpty && key.utf8.allSatisfy({ $0.isKeyCharacter }):
                place += place.isEmpty ? key : ".\(key)"
            case .key: break
            case .index(let index): place += "[\(index)]"
            }
        }
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}

extension UInt8 {
    fileprivate var isKeyCharacter: Bool {
        self == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
