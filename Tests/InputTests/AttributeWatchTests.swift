import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Input

@Suite(.timeLimit(.minutes(1))) struct AttributeWatchTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a file whose access changes is reported with its path`() async throws {
        var template = Array("/tmp/ptt-attributes-XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        let paths = ["\(directory)/one", "\(directory)/two"]
        defer {
            for path in paths { unlink(path) }
            rmdir(directory)
        }
        for path in paths { _ = close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o000)) }

        let changes = AsyncQueue(of: String?.self)
        let watch = try AttributeWatch { changes.add($0) }
        try watch.add(directory)
        try watch.add(directory)
        chmod(paths[1], 0o600)
        #expect(try await changes.next() == paths[1])
        chmod(paths[0], 0o600)
        #expect(try await changes.next() == paths[0])
    }

    @Test @EventLoop func `a directory that does not exist is an error`() throws {
        let watch = try AttributeWatch { _ in }
        #expect(throws: SystemError("watch /does/not/exist", ENOENT)) { try watch.add("/does/not/exist") }
    }
}
