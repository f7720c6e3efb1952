package import AccessoryCore
import JSON
package import TOML

extension AccessoryDefinition {
    /// Reads an accessory file and checks it.
    ///
    /// - Parameters:
    ///   - text: TOML, as `Documentation/Accessories.md` describes it.
    ///   - identifier: The name of the file without `.toml`.
    /// - Throws: The first thing that is wrong, and where.
    package init(toml text: String, identifier: String) throws(TOMLError) {
        let file = try TOML.decode(AccessoryFile.self, from: text)
        do throws(AccessoryFileProblem) {
            self = try file.definition(identifier: identifier)
        } catch {
            throw TOMLError(error, in: text)
        }
    }
}

extension TOMLError {
    init(_ problem: AccessoryFileProblem, in text: String) {
        let path: [JSON.Step] = problem.path.map { step in
            switch step {
            case .key(let key): .key(key)
            case .index(let index): .index(index)
            }
        }
        self.init(place: TOML.place(of: path, in: text, isKey: true), reason: "\(problem)")
    }
}
