package import AccessoryCore
import AccessoryFiles

/// The files of `Sources/Accessories`.
package enum ShippedAccessories {
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    package static func catalog() throws -> AccessoryCatalog {
        let catalog = AccessoryFolders([TestProcess.accessories]).load()
        if let problem = catalog.problems.first {
            throw Unusable(description: "\(problem.path): \(problem.reason)")
        }
        return catalog
    }

    package static func all() throws -> [AccessoryDefinition] { try catalog().entries.map(\.definition) }

    package static func file(_ identifier: String) throws -> AccessoryDefinition {
        if let found = try catalog()[identifier] { return found }
        throw Unusable(description: "there is no accessory file \(identifier)")
    }
}
