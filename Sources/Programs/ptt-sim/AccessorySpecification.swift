import AccessoryCore
import AccessoryFiles
import ArgumentParser
import EventLoop
import TOML

/// A button or a microphone as specified on the command line.
struct AccessorySpecification {
    /// The buttons without any specification.
    static let defaults = ["ffe0", "aina", "nordic-led-button"]

    let definition: AccessoryDefinition
    private let name: String?

    /// - Parameter argument: The name of an accessory file without `.toml`, or a path with a slash, and,
    ///   after a colon, another name of the device.
    /// - Throws: If there is no such file, or it cannot be used.
    init(_ argument: String) throws(ValidationError) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        definition = try Self.definition(parts.first.map { String($0) } ?? "")
        name = parts.count == 2 ? String(parts[1]) : nil
    }

    /// - Throws: As ``init(_:)``, and if it is not the file of a button with notifications or advertisements.
    static func button(_ argument: String) throws(ValidationError) -> Self {
        let specification = try Self(argument)
        switch specification.definition.input {
        case .gatt, .advertisements: return specification
        case .serial, .keys:
            throw ValidationError(
                "\(specification.definition.identifier) is not a button with notifications (GATT) or advertisements"
            )
        }
    }

    /// - Throws: As ``init(_:)``, and if it is not the file of a serial microphone.
    static func microphone(_ argument: String) throws(ValidationError) -> (Self, SerialInput) {
        let specification = try Self(argument)
        guard case .serial(let input) = specification.definition.input else {
            throw ValidationError("\(specification.definition.identifier) is not a serial microphone")
        }
        return (specification, input)
    }

    /// The chosen name, or one by which its file recognises or suggests it.
    var simulatedName: String {
        if let name { return name }
        let patterns = definition.match.names + definition.match.hints + [definition.name]
        let names = patterns.map { pattern in
            let text = String(pattern.drop { $0 == "*" })
            return text.last == "*" ? text.dropLast() + "01" : text
        }
        return names.first { !$0.isEmpty } ?? definition.name
    }

    private static func definition(_ file: String) throws(ValidationError) -> AccessoryDefinition {
        guard file.contains("/") else {
            let catalog = AccessoryFolders.standard.load()
            if let definition = catalog[file] { return definition }
            let problem = catalog.problems.first { $0.path.hasSuffix("/\(file).toml") }
            throw ValidationError(
                problem.map { "\($0.path): \($0.reason)" }
                    ?? "there is no accessory file \(file); in a source tree PTT_ACCESSORIES=Sources/Accessories"
            )
        }
        let name = file.split(separator: "/").last.map { String($0) } ?? file
        let identifier = name.hasSuffix(".toml") ? String(name.dropLast(".toml".count)) : name
        do {
            if let text = try TextFile.read(file, limit: AccessoryFolders.sizeLimit) {
                return try AccessoryDefinition(toml: text, identifier: identifier)
            }
        } catch {
            throw ValidationError("\(file): \(error)")
        }
        throw ValidationError("there is no file \(file)")
    }
}
