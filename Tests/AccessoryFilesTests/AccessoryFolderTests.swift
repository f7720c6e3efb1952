import AccessoryCore
import AccessoryFiles
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.serialized) struct AccessoryFolderTests {
    private let scratch: Scratch

    init() throws {
        withRunningLoop()
        scratch = try Scratch()
    }

    private var folders: AccessoryFolders {
        AccessoryFolders(["shipped", "etc", "user"].map { "\(scratch.directory)/\($0)" })
    }

    private func write(_ path: String, _ text: String) throws {
        let full = "\(scratch.directory)/\(path)"
        mkdir(String(full.prefix(upTo: full.lastIndex(of: "/") ?? full.endIndex)), 0o700)
        guard let file = fopen(full, "we") else { throw SystemError("write \(path)") }
        fputs(text, file)
        fclose(file)
    }

    private func text(_ name: String) -> String {
        AccessoryFileTests.start.replacing("Button", with: name) + AccessoryFileTests.bytes
    }

    @Test func `a file of a later folder replaces one of the same name, and missing folders are empty`()
        throws
    {
        try write("shipped/ffe0.toml", text("shipped"))
        try write("shipped/aina.toml", text("shipped"))
        try write("user/ffe0.toml", text("user"))
        try write("user/.ffe0.toml", "an editor's")
        try write("user/README", "none of ours")
        let catalog = folders.load()
        #expect(
            catalog.entries.map { "\($0.definition.identifier) \($0.definition.name)" } == [
                "aina shipped", "ffe0 user",
            ]
        )
        #expect(catalog.problems.isEmpty)
    }

    @Test func `a file that cannot be used disables itself alone, and is told with line and column`() throws {
        try write("shipped/ffe0.toml", text("shipped"))
        try write("shipped/aina.toml", text("shipped"))
        try write("user/ffe0.toml", "name = 1")
        let catalog = folders.load()
        #expect(catalog.entries.map(\.definition.identifier) == ["aina"])
        #expect(
            catalog.problems == [
                AccessoryCatalog.Problem(
                    path: "\(scratch.directory)/user/ffe0.toml",
                    reason: "line 1, column 8: name should be a string but is an integer"
                )
            ]
        )
    }

    @Test func `an empty file removes one of the same name without a problem`() throws {
        try write("shipped/ffe0.toml", text("shipped"))
        try write("etc/ffe0.toml", "")
        #expect(folders.load() == AccessoryCatalog([]))
    }

    @Test func `hostile files are told and harm no other`() throws {
        try write("shipped/ffe0.toml", text("shipped"))
        try write("user/large.toml", String(repeating: "# ", count: 40_000))
        try write("user/binary.toml", "\u{1}")
        try write("user/a\u{1B}[31m.toml", text("x"))
        try write("user/directory.toml/x", "")
        mkfifo("\(scratch.directory)/user/pipe.toml", 0o600)
        symlink("/dev/zero", "\(scratch.directory)/user/zero.toml")
        symlink("loop.toml", "\(scratch.directory)/user/loop.toml")
        let catalog = folders.load()
        #expect(catalog.entries.map(\.definition.identifier) == ["ffe0"])
        let names = catalog.problems.compactMap { $0.path.split(separator: "/").last }
        #expect(
            names.sorted() == [
                "a\\u{1b}[31m.toml", "binary.toml", "directory.toml", "large.toml", "loop.toml", "pipe.toml",
                "zero.toml",
            ]
        )
    }

    @Test @EventLoop func `a change counts at once, also of a folder that did not exist`() async throws {
        try write("shipped/ffe0.toml", text("one"))
        let watch = AccessoryFolderWatch(folders)
        let changes = AsyncQueue(of: [String].self)
        watch.onChange = { changes.add($0.entries.map(\.definition.name)) }
        #expect(watch.catalog.entries.map(\.definition.name) == ["one"])

        try write("shipped/ffe0.toml", text("two"))
        _ = try await changes.first { $0 == ["two"] }
        try write("user/ffe0.toml", text("three"))
        _ = try await changes.first { $0 == ["three"] }
        try write("user/.new", text("four"))
        rename("\(scratch.directory)/user/.new", "\(scratch.directory)/user/ffe0.toml")
        _ = try await changes.first { $0 == ["four"] }
        unlink("\(scratch.directory)/user/ffe0.toml")
        _ = try await changes.first { $0 == ["two"] }
        rename("\(scratch.directory)/shipped", "\(scratch.directory)/away")
        _ = try await changes.first { $0.isEmpty }
    }
}
