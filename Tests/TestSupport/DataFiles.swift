import Foundation

/// A text file that a test replays.
package struct DataFile: Sendable {
    package let name: String
    package let text: String

    /// The files of a folder that lies beside a source file, by name.
    package static func all(
        in folder: String,
        beside source: String,
        extension type: String = "txt"
    ) throws -> [DataFile] {
        let folder = URL(filePath: source).deletingLastPathComponent().appending(path: folder)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == type }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { DataFile(name: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8)) }
    }
}
