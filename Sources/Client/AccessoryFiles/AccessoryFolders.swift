package import AccessoryCore
import EventLoop
import Glibc
import PTTMessages
import TOML

/// The folders with accessory files. In a later one a file replaces an earlier one of the same name, also one
/// that cannot be used; an empty file only removes the earlier one.
package struct AccessoryFolders: Sendable {
    package static let sizeLimit = 64 * 1024
    /// Of a folder.
    static let fileLimit = 1024

    package let paths: [String]

    package init(_ paths: [String]) {
        self.paths = paths
    }

    /// `pushtotalk/accessories` in `/usr/share` and the other data directories of the XDG Base Directory
    /// Specification, the user's being the last, in `/etc`, and in the user's configuration.
    /// `PTT_ACCESSORIES` stands for the first ones, in a source tree and in tests.
    package static var standard: AccessoryFolders {
        let shipped =
            Environment.variable("PTT_ACCESSORIES").map { [$0] }
            ?? UserDirectory.allData.reversed().map { "\($0)/\(name)" }
        return AccessoryFolders((shipped + ConfigurationFile.paths(name)).filter { $0.hasPrefix("/") })
    }

    /// The user's own folder; nil if there is no home directory.
    package static var user: String? { UserDirectory.configuration.path.map { "\($0)/\(name)" } }

    private static let name = "pushtotalk/accessories"

    /// Reads all files.
    package func load() -> AccessoryCatalog {
        var files: [String: (path: String, folder: Int)] = [:]
        var problems: [AccessoryCatalog.Problem] = []
        for (number, folder) in paths.enumerated() {
            do throws(SystemError) {
                for name in try Self.names(in: folder) {
                    files[name] = (path: "\(folder)/\(name)", folder: number)
                }
            } catch {
                problems.append(AccessoryCatalog.Problem(path: folder, reason: error.description))
            }
        }
        var entries: [AccessoryCatalog.Entry] = []
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            do {
                guard let definition = try Self.read(name, at: file.path) else { continue }
                entries.append(AccessoryCatalog.Entry(definition, path: file.path, folder: file.folder))
            } catch {
                problems.append(AccessoryCatalog.Problem(path: file.path.escaped, reason: "\(error)"))
            }
        }
        return AccessoryCatalog(entries, problems: problems)
    }

    /// The `.toml` files of a folder; none if it does not exist.
    private static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw SystemError("open \(folder)")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // Editors keep their backups beside a file, with a dot before its name.
            guard name.hasSuffix(".toml"), !name.hasPrefix(".") else { continue }
            names.append(name)
            if names.count > fileLimit {
                throw SystemError("read \(folder), which has more than \(fileLimit) files", E2BIG)
            }
        }
        return names
    }

    /// Nil if it is empty.
    private static func read(_ name: String, at path: String) throws -> AccessoryDefinition? {
        let identifier = String(name.dropLast(".toml".count))
        guard identifier.isAccessoryIdentifier else {
            let reason = "its name has other characters than letters, digits, - and _"
            throw TOMLError(place: nil, reason: reason)
        }
        let text = try TextFile.read(path, limit: sizeLimit) ?? ""
        return try text.isEmpty ? nil : AccessoryDefinition(toml: text, identifier: identifier)
    }
}

extension String {
    /// True if it can be the name of an accessory file: 1 to 64 letters, digits, `-` and `_`.
    package var isAccessoryIdentifier: Bool {
        (1...64).contains(utf8.count)
            && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" || $0 == "_" }
    }
}
