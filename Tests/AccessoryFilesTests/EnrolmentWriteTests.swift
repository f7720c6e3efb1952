import AccessoryCore
import AccessoryFiles
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// Files on disk.
@Suite struct EnrolmentWriteTests {
    private static func identity(_ number: Int) -> DeviceIdentity {
        DeviceIdentity(bluetoothAddress: "AA:BB:CC:DD:EE:0\(number)")
    }

    @Test func `the file and its directories are created for this user alone`() throws {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(1))) }
        #expect(try scratch.text() == "[[device]]\nidentity = \"bluetooth:AA:BB:CC:DD:EE:01\"\n")
        var found = stat()
        #expect(stat(scratch.file, &found) == 0 && found.st_mode & 0o777 == 0o600)
        #expect(access(scratch.file + ".new", F_OK) != 0)
    }

    @Test(arguments: [(UInt16(0x120), "BTN_TRIGGER"), (0x2FF, "767"), (0x300, "CTS"), (0x303, "RI")])
    func `a chosen key is written by its name, or by its number if it has none`(code: UInt16, text: String)
        throws
    {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(1), key: code)) }
        #expect(try scratch.text()?.hasSuffix("\nkey = \"\(text)\"\n") == true)
        #expect(try EnrolmentFile.read(scratch.file).enrolments.map(\.key) == [code])
    }

    @Test func `what is not enrolled is removed without creating the file`() throws {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.remove(Self.identity(1)) }
        #expect(access(scratch.file, F_OK) != 0)
    }

    @Test func `the permissions of an existing file stay`() throws {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(1))) }
        #expect(chmod(scratch.file, 0o644) == 0)
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(2))) }
        var found = stat()
        #expect(stat(scratch.file, &found) == 0 && found.st_mode & 0o777 == 0o644)
    }

    @Test func `the target of a symbolic link is replaced, and a broken link is refused`() throws {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(1))) }
        let link = "\(scratch.directory)/a/b/link"
        #expect(symlink("devices.toml", link) == 0)
        try EnrolmentFile.edit(link) { try $0.set(Enrolment(Self.identity(2))) }
        var found = stat()
        #expect(lstat(link, &found) == 0 && found.st_mode & S_IFMT == S_IFLNK)
        #expect(try EnrolmentFile.parse(scratch.text() ?? "").enrolments.count == 2)
        _ = unlink(scratch.file)
        let error = #expect(throws: TextFile.Unusable.self) {
            try EnrolmentFile.edit(link) { try $0.set(Enrolment(Self.identity(3))) }
        }
        #expect(error?.description.hasSuffix("/link is a link to a file that does not exist") == true)
    }

    @Test func `a link to a device is refused, which a file would replace for all programs`() throws {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(1))) }
        let link = "\(scratch.directory)/a/b/link"
        // Not /dev/null: this one is too large to be edited in any case.
        #expect(symlink("/dev/zero", link) == 0)
        let error = #expect(throws: TextFile.Unusable.self) {
            try EnrolmentFile.edit(link) { try $0.set(Enrolment(Self.identity(2))) }
        }
        #expect(error?.description.hasPrefix("/dev/zero is not a file") == true)
    }

    @Test func `programs that edit at the same time lose nothing`() async throws {
        let scratch = try Scratch()
        let file = scratch.file
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    do {
                        try EnrolmentFile.edit(file) { try $0.set(Enrolment(Self.identity(number))) }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        #expect(try EnrolmentFile.parse(scratch.text() ?? "").enrolments.count == 10)
    }

    @Test func `a failed write leaves the old file, and nothing beside it`() throws {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(1))) }
        let before = try scratch.text()
        // A process may not write beyond this size (setrlimit(2)): as with a full disk, write(2) fails.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(1), &limit)
        let old = signal(SIGXFSZ, SIG_IGN)
        var small = rlimit(rlim_cur: 8, rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(1), &small)
        let error = #expect(throws: SystemError.self) {
            try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(2))) }
        }
        setrlimit(__rlimit_resource_t(1), &limit)
        signal(SIGXFSZ, old)
        #expect(error?.code == EFBIG)
        #expect(try scratch.text() == before)
        #expect(access(scratch.file + ".new", F_OK) != 0)
    }

    @Test func `what a crashed program left over is replaced, also by a file for this user alone`() throws {
        let scratch = try Scratch()
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(1))) }
        try TextFile.edit(scratch.file + ".new", limit: 100, mode: 0o644) { _ in
            String(repeating: "x", count: 4000)
        }
        try EnrolmentFile.edit(scratch.file) { try $0.set(Enrolment(Self.identity(2))) }
        #expect(try EnrolmentFile.parse(scratch.text() ?? "").enrolments.count == 2)
        var found = stat()
        #expect(stat(scratch.file, &found) == 0 && found.st_mode & 0o777 == 0o600)
    }
}

extension Scratch {
    fileprivate var file: String { directory + "/a/b/devices.toml" }

    fileprivate func text() throws -> String? { try TextFile.read(file, limit: 100_000) }
}
