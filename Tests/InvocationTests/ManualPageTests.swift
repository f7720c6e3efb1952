import Foundation
import Testing

/// The pages of Documentation/man. The others are made from the programs.
struct ManualPageTests {
    private static let top = URL(filePath: #filePath).appending(path: "../../..").standardized

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: top.appending(path: path), encoding: .utf8)
    }

    /// The keys of the examples of `Documentation/Configuration.md`, by file.
    private static func keys() throws -> [String: [String]] {
        var keys: [String: [String]] = [:]
        var file = ""
        var isExample = false
        for line in try text("Documentation/Configuration.md").split(separator: "\n") {
            if line.hasPrefix("```") {
                isExample = line == "```toml"
            } else if isExample, let key = line.split(separator: " ").first, line.contains(" = ") {
                keys[file, default: []].append(String(key))
            } else if !isExample, let name = line.firstMatch(of: /`~\/.config\/pushtotalk\/([a-z]+\.toml)`/) {
                file = String(name.1)
            }
        }
        return keys
    }

    @Test func `each key of a configuration file is in its manual page`() throws {
        let pages = [
            "pttd.toml": "pttd.toml.5", "policy.toml": "pushtotalk-policy.toml.5",
            "devices.toml": "pushtotalk-devices.toml.5", "indicator.toml": "pushtotalk-indicator.toml.5",
        ]
        let keys = try Self.keys()
        #expect(Set(keys.keys).isSuperset(of: pages.keys))
        for (file, page) in pages {
            let text = try Self.text("Documentation/man/\(page)")
            for key in keys[file, default: []] {
                #expect(text.contains(try Regex("Ic (.* , )?\(key)\\b")), "\(key) of \(file)")
            }
        }
    }

    @Test func `every program has a manual page`() throws {
        let makefile = try Self.text("Makefile")
        func list(_ name: String) throws -> [Substring] {
            let line = try #require(makefile.split(separator: "\n").first { $0.hasPrefix("\(name) = ") })
            return line.split(separator: " ").dropFirst(2).map { $0 }
        }
        let withCommands = try list("with_commands")
        for program in try list("programs") where !withCommands.contains(program) {
            let pages = try FileManager.default.contentsOfDirectory(
                atPath: Self.top.appending(path: "Documentation/man").path
            )
            #expect(pages.contains { $0 == "\(program).1" || $0 == "\(program).8" }, "\(program)")
        }
    }
}
