import Foundation
import TestSupport
import Testing

/// What the documentation tells people to write.
@Suite(.timeLimit(.minutes(3)))
struct DocumentationTests {
    @Test func `the code of the first steps compiles`() throws {
        let blocks = try codeBlocks()
        #expect(blocks.count == 2)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("ptt-steps-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // What cannot be removed is litter in /tmp and hurts no test.
        defer { try? FileManager.default.removeItem(at: directory) }
        let imports = "import Foundation\nimport PushToTalk\n"
        let files = try zip(["main.swift", "Buttons.swift"], [blocks[0], imports + blocks[1]]).map {
            let path = directory.appendingPathComponent($0)
            try $1.write(to: path, atomically: true, encoding: .utf8)
            return path.path
        }
        let output = try compiled(files)
        #expect(output == nil, "\(output ?? "")")
    }

    /// Those of the application, not those of its package.
    private func codeBlocks() throws -> [String] {
        let text = try String(
            contentsOf: Self.sources.appendingPathComponent(
                "Client/PushToTalk/PushToTalk.docc/FirstSteps.md"
            ),
            encoding: .utf8
        )
        return text.components(separatedBy: "```").enumerated()
            .filter { index, block in
                index % 2 == 1 && block.hasPrefix("swift\n") && !block.contains("import PackageDescription")
            }
            .map { String($1.dropFirst("swift\n".count)) }
    }

    /// - Returns: What the compiler has against it.
    private func compiled(_ files: [String]) throws -> String? {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc", "-typecheck", "-swift-version", "6"] + ModuleSearch.arguments + files
        process.standardError = errors
        try process.run()
        let output = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : output
    }

    private static let sources = ModuleSearch.sources
}
