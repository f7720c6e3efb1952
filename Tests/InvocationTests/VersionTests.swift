import Foundation
import PTTMessages
import Testing

/// The files of the top level that name the version.
struct VersionTests {
    private func text(_ path: String) throws -> String {
        let top = URL(filePath: #filePath).appending(path: "../../..").standardized
        return try String(contentsOf: top.appending(path: path), encoding: .utf8)
    }

    @Test func `the newest version of the change log is that of the programs`() throws {
        let heading = try #require(
            try text("CHANGELOG.md").split(separator: "\n").first { $0.hasPrefix("## ") }
        )
        #expect(heading.split(separator: " ").dropFirst().first.map(String.init) == Product.version)
    }

    @Test func `the newest version of the Debian packages is that of the programs`() throws {
        let line = try #require(try text("debian/changelog").split(separator: "\n").first)
        #expect(line.hasPrefix("push-to-talk (\(Product.version)) "))
    }

    @Test(arguments: [
        "push-to-talk.spec": "Version:        \(Product.version)",
        "PKGBUILD": "pkgver=\(Product.version)",
        "package.nix": "  version = \"\(Product.version)\";",
    ])
    func `the other packages have the same version`(file: String, line: String) throws {
        #expect(try text("packaging/\(file)").split(separator: "\n").contains(Substring(line)))
    }

    @Test func `the application for Mumble has the same version`() throws {
        let program = try text("Applications/Mumble/Sources/ptt-mumble/Program.swift")
        #expect(program.contains("version: \"\(Product.version)\""))
    }

    @Test func `each package that is built with has one version`() throws {
        let lines = try text("Package.swift").split(separator: "\n").filter { $0.contains(".package(url:") }
        #expect(!lines.isEmpty)
        for line in lines { #expect(line.contains("exact: \"")) }
    }
}
