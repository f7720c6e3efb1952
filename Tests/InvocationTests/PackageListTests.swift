import Foundation
import Testing

/// The lists of files from which packages are made.
struct PackageListTests {
    private static let top = URL(filePath: #filePath).appending(path: "../../..").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: top.appending(path: path), encoding: .utf8)
    }

    /// The words of a variable of the Makefile that stands on one line.
    private static func variable(_ name: String) throws -> [String] {
        let prefix = "\(name) = "
        let line = try #require(try text("Makefile").split(separator: "\n").first { $0.hasPrefix(prefix) })
        return line.dropFirst(prefix.count).split(separator: " ").map { String($0) }
    }

    @Test func `every program and every manual page is in a package of Debian and in an RPM`() throws {
        let pages = try FileManager.default.contentsOfDirectory(
            atPath: Self.top.appending(path: "Documentation/man").path
        )
        let generated = try Self.variable("with_commands").map { "\($0).1" }
        let manuals = (pages + generated).map { page in "man/man\(page.suffix(1))/\(page)" }
        let programs = try Self.variable("programs").map { "bin/\($0)" }
        #expect(pages.count > 1 && programs.count > 1)
        let packages = ["push-to-talk", "push-to-talk-indicator", "push-to-talk-sim"]
        let debian = try packages.flatMap {
            try Self.text("debian/\($0).install").split(separator: "\n").map { String($0) }
        }
        // The macros of RPM for the directories; a manual page may be compressed there.
        let rpm = try Self.text("packaging/push-to-talk.spec").split(separator: "\n").map {
            $0.replacing("%{_bindir}", with: "usr/bin").replacing("%{_mandir}", with: "usr/share/man")
        }
        #expect(programs.filter { !debian.contains("usr/\($0)") } == [])
        #expect(programs.filter { !rpm.contains("usr/\($0)") } == [])
        #expect(manuals.filter { !debian.contains("usr/share/\($0)") } == [])
        #expect(manuals.filter { !rpm.contains("usr/share/\($0)*") } == [])
    }

    @Test func `every command that installs packages of Debian has a list of them`() throws {
        let lines = try Self.text("Makefile").split(separator: "\n")
        let commands = lines.filter { $0.contains(": dependencies") }
            .compactMap { $0.split(separator: ":").first }
        #expect(commands.contains("rpm") && commands.contains("deb"))
        let chosen = try #require(lines.first { $0.hasPrefix("FOR ?= ") })
            .split { $0 == " " || $0 == "," }
        #expect(commands.filter { !chosen.contains($0) } == [])
        #expect(commands.filter { name in !lines.contains { $0.hasPrefix("packages_\(name) = ") } } == [])
    }
}
