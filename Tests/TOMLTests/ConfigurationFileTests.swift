import Foundation
import TOML
import Testing

@Suite struct ConfigurationFileTests {
    private struct Settings: Codable, Equatable {
        struct Tones: Codable, Equatable {
            var enabled: Bool?
            var file: String?
        }

        var limit: Int?
        var names: [String]?
        var tones: Tones?
    }

    /// The machine's file and the user's.
    private final class Files {
        let directory = FileManager.default.temporaryDirectory.appending(path: "ptt-\(UUID())")
        let paths: [String]

        init(_ texts: String?...) throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            paths = texts.indices.map { [directory] in directory.appending(path: "\($0).toml").path }
            for (path, text) in zip(paths, texts) {
                try text?.write(toFile: path, atomically: true, encoding: .utf8)
            }
        }

        // A file that stays behind in the temporary directory harms nothing.
        deinit { try? FileManager.default.removeItem(at: directory) }
    }

    private func load(_ files: Files) -> (value: Settings, unusable: [ConfigurationFile.Unusable]) {
        ConfigurationFile.load(over: Settings(), files.paths) { file throws(TOMLError) in
            if file.limit == 0 { throw TOMLError(place: nil, reason: "limit is 0") }
        }
    }

    @Test func `a key of the user replaces that of the machine, in tables one by one`() throws {
        let files = try Files(
            "limit = 1\nnames = ['a', 'b']\n[tones]\nenabled = false\nfile = 'm'",
            "names = ['c']\n[tones]\nfile = 'u'"
        )
        let expected = Settings(limit: 1, names: ["c"], tones: .init(enabled: false, file: "u"))
        #expect(load(files).value == expected)
        #expect(load(files).unusable.isEmpty)
    }

    @Test func `each file may be missing`() throws {
        #expect(try load(Files(nil, nil)).value == Settings())
        #expect(try load(Files("limit = 1", nil)).value == Settings(limit: 1))
        #expect(try load(Files(nil, "limit = 2")).value == Settings(limit: 2))
    }

    @Test(arguments: ["limit = 0", "limit = 'x'", "unknown = 1", "["], [0, 1])
    func `a file that cannot be used is named, and takes nothing from the other one`(
        text: String,
        index: Int
    ) throws {
        let files = try index == 0 ? Files(text, "limit = 3") : Files("limit = 3", text)
        let (value, unusable) = load(files)
        #expect(value == Settings(limit: 3))
        #expect(unusable.map(\.path) == [files.paths[index]])
    }

    @Test func `the machine's file comes before the user's`() {
        let paths = ConfigurationFile.paths("program/a.toml")
        #expect(paths.first == "/etc/program/a.toml")
        #expect(paths.count == 2 && paths[1].hasSuffix("/program/a.toml"))
    }
}
