import EventLoop
import Glibc
import TestSupport
import Testing

/// The events after which a program has to read its file again.
@Suite(.serialized) struct FileWatchTests {
    private let scratch: Scratch

    init() throws {
        withRunningLoop()
        scratch = try Scratch()
    }

    private func path(_ name: String) -> String { "\(scratch.directory)/\(name)" }

    private func write(_ name: String) throws {
        guard let file = fopen(path(name), "we") else { throw SystemError("write \(name)") }
        fputs("x", file)
        fclose(file)
    }

    @Test @EventLoop
    func `a file is reported whose directories are created one by one, and so is its removal`()
        async throws
    {
        let changes = AsyncQueue(of: FileWatch.Target.self)
        let path = path("a/b/file")
        let watch = try FileWatch(path) { changes.add(FileWatch.target(of: path)) }
        for round in 0..<2 {
            mkdir(self.path("a"), 0o700)
            mkdir(self.path("a/b"), 0o700)
            try write("a/b/file")
            _ = try await changes.first { $0 == .exists }
            switch round {
            case 0:
                unlink(path)
                _ = try await changes.first { $0 == .isMissing }
                rmdir(self.path("a/b"))
                rmdir(self.path("a"))
            default:
                // A directory above it is removed with all its contents.
                rename(self.path("a"), self.path("away"))
                _ = try await changes.first { $0 == .isMissing }
            }
        }
        withExtendedLifetime(watch) {}
    }

    @Test @EventLoop func `another file in the same directory is not reported`() async throws {
        mkdir(path("a"), 0o700)
        mkdir(path("a/b"), 0o700)
        try write("a/b/file")
        let changes = AsyncQueue(of: String.self)
        let watch = try FileWatch(path("a/b/file")) { changes.add("change") }
        let other = try Inotify("watch a directory") { for event in $0 { changes.add(event.name) } }
        _ = try other.add(path("a/b"), UInt32(IN_CREATE))
        try write("a/b/other")
        #expect(try await changes.next() == "other")
        try write("a/b/file")
        #expect(try await changes.next() == "change")
        withExtendedLifetime((watch, other)) {}
    }

    @Test @EventLoop func `links on the path are resolved, and their replacement is reported`() async throws {
        mkdir(path("a"), 0o700)
        mkdir(path("a/b"), 0o700)
        try write("a/b/file")
        symlink("a/../a/b", path("inner"))
        symlink(path("inner/file"), path("link"))
        let changes = AsyncQueue(of: FileWatch.Target.self)
        let link = path("link")
        #expect(FileWatch.target(of: link) == .exists)
        let watch = try FileWatch(link) { changes.add(FileWatch.target(of: link)) }
        try write("a/b/file")
        #expect(try await changes.next() == .exists)
        symlink("nowhere", path("file"))
        rename(path("file"), path("inner"))
        _ = try await changes.first { $0 == .isBroken(link: path("inner")) }
        unlink(path("inner"))
        _ = try await changes.first { $0 == .isBroken(link: link) }
        symlink("a/b", path("inner"))
        _ = try await changes.first { $0 == .exists }
        chmod(path("a/b/file"), 0o600)
        #expect(try await changes.next() == .exists)
        withExtendedLifetime(watch) {}
    }

    @Test func `a link to itself is broken, and a file that never existed is missing`() {
        symlink("link", path("link"))
        #expect(FileWatch.target(of: path("link")) == .isBroken(link: path("link")))
        #expect(FileWatch.target(of: path("none/at/all")) == .isMissing)
        #expect(FileWatch.target(of: path("")) == .exists)
    }
}
