import AccessoryCore
import AccessoryFiles
import ArgumentParser
import EventLoop
import TOML

/// A button as specified on the command line.
struct ButtonSpecification {
    /// One of each of the oldest families.
    static let defaults = ["ffe0", "aina", "nordic-led-button"]

    let definition: AccessoryDefinition
    let name: String?

    /// - Parameter argument: The name of an accessory file without `.toml`, or a path with a slash, and, after a colon,
    ///   another name of the button.
    /// - Throws: If there is no such file, or it cannot be used.
    init(_ argument: String) throws(ValidationError) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        definition = try Self.definition(parts.first.map { String($0) } ?? "")
        guard case .gatt = definition.input else {
            throw ValidationError("\(definition.identifier) is not a button with notifications (GATT)")
        }
        name = parts.count == 2 ? String(parts[1]) : nil
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
        do {
            guard let text = try TextFile.read(file, limit: AccessoryFolders.sizeLimit) else {
                throw ValidationError("there is no file \(file)")
            }
            let identifier = name.hasSuffix(".toml") ? String(name.dropLast(".toml".count)) : name
            return try AccessoryDefinition(toml: text, identifier: identifier)
        } catch let error as ValidationError {
            throw error
        } catch {
            throw ValidationError("\(file): \(error)")
        }
    }
}
