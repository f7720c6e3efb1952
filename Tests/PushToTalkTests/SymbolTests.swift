import EventLoop
import Foundation
import TestSupport
import Testing

/// Semantics, “The symbols”: the module has the symbols of Apple's framework, and no others but those whose
/// names say that they belong to Linux. `Symbols/apple.txt` has Apple's, a symbol per line.
@Suite struct SymbolTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `the module has Apple's symbols and its own`() async throws {
        let lists = try DataFile.all(in: "Symbols", beside: #filePath)
        #expect(lists.map(\.name).sorted() == ["apple.txt", "linux.txt"])
        let expected = Set(lists.flatMap { $0.text.split(separator: "\n").map { String($0) } })
        let found = try await Set(symbols())
        #expect(expected.subtracting(found).sorted() == [], "missing")
        #expect(found.subtracting(expected).sorted() == [], "neither Apple's nor marked as of Linux")
    }

    private struct Graph: Decodable {
        struct Symbol: Decodable {
            let pathComponents: [String]
        }

        let symbols: [Symbol]
    }

    @EventLoop
    private func symbols() async throws -> [String] {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("ptt-symbols-\(UUID())")
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        // What cannot be removed is litter in /tmp and hurts no test.
        defer { try? FileManager.default.removeItem(at: output) }
        let extraction = try TestProcess(
            [
                "swift", "symbolgraph-extract", "-module-name", "PushToTalk", "-target",
                "\(machine)-unknown-linux-gnu",
                "-output-dir", output.path, "-minimum-access-level", "public", "-skip-synthesized-members",
                "-experimental-allowed-reexported-modules=CPushToTalk",
            ] + ModuleSearch.arguments,
            mergesErrors: true
        )
        let (status, lines) = try await extraction.output(within: .seconds(60))
        try #require(status == 0, "\(lines.joined(separator: "\n"))")
        let data = try Data(contentsOf: output.appendingPathComponent("PushToTalk.symbols.json"))
        // The enumerations of the audio session are in the same module, and belong to the replacement of
        // AVFAudio.
        return try JSONDecoder().decode(Graph.self, from: data).symbols.map {
            $0.pathComponents.joined(separator: ".")
        }.filter { !$0.hasPrefix("AV") }
    }

    private var machine: String {
        #if arch(arm64)
            "aarch64"
        #else
            "x86_64"
        #endif
    }
}

/// The directories of the modules that were built for these tests.
enum ModuleSearch {
    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    static var arguments: [String] {
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let maps = [
            sources.appendingPathComponent("System/CSystemd/module.modulemap").path,
            products.appendingPathComponent("CLinux.build/module.modulemap").path,
            products.appendingPathComponent("CTOML.build/module.modulemap").path,
            sources.appendingPathComponent("Client/CPushToTalk/module.modulemap").path,
        ]
        return ["-I", products.appendingPathComponent("Modules").path]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }
}
