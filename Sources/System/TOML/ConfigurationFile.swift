import EventLoop
import JSON

/// The files that configure a program: that of the machine, and that of the user, whose keys take precedence.
package enum ConfigurationFile {
    /// In bytes. A configuration has a few lines; a larger file is a mistake.
    private static let sizeLimit = 64 * 1024

    /// - Parameter name: Below the directory, as in `program/program.toml`.
    /// - Returns: In `/etc`, then in the user's configuration directory, if there is one.
    package static func paths(_ name: String) -> [String] {
        ["/etc", UserDirectory.configuration.path].compactMap { $0.map { "\($0)/\(name)" } }
    }

    /// A file that is there and says nothing that can be used.
    package struct Unusable: Equatable, CustomStringConvertible {
        package let path: String
        package let reason: String

        package var description: String { "\(path) cannot be used: \(reason)" }
    }

    /// - Parameters:
    ///   - empty: Where no file says anything. All its members may be missing in a file.
    ///   - paths: Of files that need not exist. A key of a later one replaces that of an earlier one, in
    ///     tables one by one.
    ///   - check: Refuses values that the type alone does not, of each file.
    /// - Returns: The value of all files together, but for those that cannot be used.
    package static func load<Value: Decodable>(
        over empty: Value,
        _ paths: [String],
        check: (Value) throws(TOMLError) -> Void
    ) -> (value: Value, unusable: [Unusable]) {
        var value = empty
        var merged = JSONObject()
        var unusable: [Unusable] = []
        for path in paths {
            do {
                guard let text = try TextFile.read(path, limit: sizeLimit) else { continue }
                try check(try TOML.decode(Value.self, from: text))
                var overlaid = merged
                overlaid.overlay(try TOML.parse(text).object ?? JSONObject())
                value = try JSON.object(overlaid).decode(Value.self)
                merged = overlaid
            } catch {
                unusable.append(Unusable(path: path, reason: "\(error)"))
            }
        }
        return (value, unusable)
    }

    /// Refuses a value of a key that is none of its choices.
    package static func check<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String,
        _ value: String?,
        _ choices: Choice.Type
    ) throws(TOMLError) {
        guard let value, Choice(rawValue: value) == nil else { return }
        let names = choices.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw TOMLError(place: nil, reason: "\(key) is \"\(value)\", it must be one of \(names)")
    }
}

extension JSONObject {
    fileprivate mutating func overlay(_ later: JSONObject) {
        for member in later.members {
            if case .object(var table)? = self[member.key], case .object(let keys) = member.value {
                table.overlay(keys)
                self[member.key] = .object(table)
            } else {
                self[member.key] = member.value
            }
        }
    }
}
