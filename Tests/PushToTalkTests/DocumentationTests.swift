import Foundation
import TestSupport
import Testing

/// The documentation shows code that is built or run: that of `Examples`.
@Suite struct DocumentationTests {
    @Test func `the first steps show all of the example`() throws {
        let blocks = try codeBlocks(of: "Sources/Client/PushToTalk/PushToTalk.docc/FirstSteps.md")
        let files = try ["main.swift", "Buttons.swift"].map { try lines(of: "Examples/radio/" + $0) }
        try #require(blocks.count == 2)
        #expect(blocks[0] == files[0])
        #expect(files[1].suffix(blocks[1].count) == blocks[1][...])
    }

    @Test func `the page for applications shows a part of the example`() throws {
        let blocks = try codeBlocks(of: "Documentation/Applications.md").map { $0.map(unindented) }
        let file = try lines(of: "Examples/radio/main.swift").map(unindented)
        #expect(blocks.count == 1)
        for block in blocks {
            let places = 0...max(0, file.count - block.count)
            #expect(places.contains { file[$0...].starts(with: block) })
        }
    }

    @Test func `the page for applications shows all of the example in Python`() throws {
        let page = try text(of: "Documentation/Applications.md")
        #expect(page.contains("```python\n\(try text(of: "Examples/python/talk.py"))```\n"))
    }

    private static func pages() throws -> [String] {
        let folder = try DataFile.all(in: "../../Documentation", beside: #filePath, extension: "md")
        return [
            "README.md", "CONTRIBUTING.md", "Sources/README.md", "Tests/README.md",
            "Tests/SystemTests/README.md",
        ] + folder.map { "Documentation/" + $0.name }
    }

    @Test(arguments: try pages())
    func `every command of make that a page names exists`(page: String) throws {
        let makefile = try text(of: "Makefile")
        let named = try text(of: page).matches(of: /`(?:[A-Z_]+=[^\s`]+ )?make ([a-z-]+)/).map { $0.1 }
        #expect(named.filter { !makefile.contains("\n\($0):") } == [])
    }

    @Test(arguments: try pages())
    func `every file that a page names or links exists`(page: String) throws {
        let text = try text(of: page)
        let folder = checkout.appendingPathComponent(page).deletingLastPathComponent()
        let links = text.matches(of: /\]\(([^)#]+)\)/).map { String($0.1) }.filter { !$0.hasPrefix("http") }
        let named = text.matches(
            of: /`((?:Sources|Tests|Examples|Documentation|packaging|systemd|udev|\.ci)\/[^`\s*…]+)`/
        )
        let missing =
            links.filter { !FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path) }
            + named.map { String($0.1) }.filter {
                !FileManager.default.fileExists(atPath: checkout.appendingPathComponent($0).path)
            }
        #expect(missing == [])
    }

    /// The Swift code of a page, but for manifests of packages.
    private func codeBlocks(of page: String) throws -> [[String]] {
        try text(of: page).components(separatedBy: "```").enumerated()
            .filter { index, block in
                index % 2 == 1 && block.hasPrefix("swift\n") && !block.contains("import PackageDescription")
            }
            .map {
                $1.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast().map(
                    String.init
                )
            }
    }

    private func lines(of path: String) throws -> [String] {
        try text(of: path).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init
        )
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: checkout.appendingPathComponent(path), encoding: .utf8)
    }

    private var checkout: URL { ModuleSearch.sources.deletingLastPathComponent() }

    private func unindented(_ line: String) -> String { String(line.trimmingPrefix { $0 == " " }) }
}
