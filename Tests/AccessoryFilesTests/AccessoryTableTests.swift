import AccessoryCore
import Foundation
import PTTMessages
import TestSupport
import Testing

/// The tables of known accessories in `README.md` and `Documentation/Accessories.md` are those of the files.
/// With `PTT_RECORD` in the environment they are written.
@Suite struct AccessoryTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardized
    private static let (start, end) = ("<!-- table -->\n", "<!-- end of table -->")

    @Test(arguments: ["README.md", "Documentation/Accessories.md"])
    func `the table of known accessories is current`(path: String) throws {
        let file = Self.root.appending(path: path)
        let text = try String(contentsOf: file, encoding: .utf8)
        let before = try #require(text.range(of: Self.start), "\(path) has no table")
        let after = try #require(text.range(of: Self.end), "\(path) has no end of the table")
        let files = try ShippedAccessories.all()
        let table = path == "README.md" ? Self.shortTable(files) : Self.longTable(files)
        let current = String(text[..<before.upperBound]) + table + String(text[after.lowerBound...])
        if ProcessInfo.processInfo.environment["PTT_RECORD"] != nil {
            try current.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(
            text == current,
            "the table of \(path) is not that of Sources/Accessories: PTT_RECORD=1 swift test --filter AccessoryTableTests"
        )
    }

    private static func shortTable(_ files: [AccessoryDefinition]) -> String {
        let lines = Dictionary(grouping: files) { transport($0) }.sorted { $0.key < $1.key }.map {
            kind,
            files in
            "| \(kind) | \(files.map(\.name).sorted().joined(separator: ", ")) |\n"
        }
        return "| connection | known accessories |\n| --- | --- |\n" + lines.joined()
    }

    private static func longTable(_ files: [AccessoryDefinition]) -> String {
        let lines = files.map { file in
            let sources = (file.evidence + file.captures).enumerated().map {
                "[\($0.offset + 1)](\($0.element))"
            }.joined(
                separator: " "
            )
            let roles = ButtonRole.fileTexts.filter { text in file.roles.contains { $0.fileText == text } }
            return
                "| `\(file.identifier)` | \(file.name) | \(transport(file)) | \(roles.joined(separator: ", ")) | "
                + "\(file.mode.rawValue) | \(file.confidence.rawValue) \(sources) |\n"
        }
        return
            "| file | name | connection | buttons | mode | evidence |\n| --- | --- | --- | --- | --- | --- |\n"
            + lines.joined()
    }

    private static func transport(_ file: AccessoryDefinition) -> String {
        switch file.input {
        case .gatt: return "Bluetooth LE"
        case .serial: return "Bluetooth serial port"
        case .advertisements: return "Bluetooth LE, advertised"
        case .keys:
            guard !file.match.transports.isEmpty else { return "input device" }
            return file.match.transports == [.avrcp] ? "Bluetooth headset" : "input device"
        }
    }
}
