import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// An apt-get whose lists, cache and packages are in a directory of their own.
@EventLoop
private final class PackageDirectory {
    let path = NSTemporaryDirectory() + "ptt-apt-\(UUID())"
    private var lock: Int32 = -1

    init() throws {
        for name in ["lists/partial", "cache/archives/partial", "repository", "dpkg"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name)",
                withIntermediateDirectories: true
            )
        }
        // The package exists, and its file does not: nothing can be installed.
        try write(
            "repository/Packages",
            """
            Package: ptt-nothing
            Version: 1
            Architecture: all
            Filename: ./nothing.deb
            Size: 1
            SHA256: \(String(repeating: "0", count: 64))

            """
        )
        try write("dpkg/status", "")
        try write("sources.list", "deb [trusted=yes] file:\(path)/repository ./\n")
        try write(
            "apt.conf",
            """
            Dir::State "\(path)";
            Dir::State::status "\(path)/dpkg/status";
            Dir::Cache "\(path)/cache";
            Dir::Etc::sourcelist "\(path)/sources.list";
            Dir::Etc::sourceparts "-";
            APT::Sandbox::User "root";

            """
        )
    }

    isolated deinit {
        release()
        // What cannot be removed is litter in /tmp and hurts no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    private func write(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    }

    /// Locks as apt does.
    func hold(_ name: String) throws {
        lock = open("\(path)/\(name)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        try #require(fcntl(lock, F_SETLK, &range) == 0)
    }

    func release() {
        if lock >= 0 { close(lock) }
        lock = -1
    }

    func install(seconds: Int) throws -> TestProcess {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../.ci/install-packages"
        )
        return try TestProcess(
            [script.standardized.path, "make test", "ptt-nothing"],
            environment: ["APT_CONFIG": "\(path)/apt.conf", "PTT_APT_SECONDS": "\(seconds)"],
            mergesErrors: true
        )
    }
}

@Suite(.enabled(if: getuid() == 0, "apt-get needs root"))
struct InstallPackagesTests {
    init() { withRunningLoop() }

    @EventLoop
    @Test(arguments: ["lists/lock", "dpkg/lock-frontend"])
    func `the lock of another program is waited for`(name: String) async throws {
        let directory = try PackageDirectory()
        try directory.hold(name)
        let installation = try directory.install(seconds: 60)
        let waiting = try await installation.lines.first { $0.hasPrefix("waiting") }
        #expect(waiting.contains(name) && waiting.contains("process \(getpid())"))
        directory.release()
        let (status, lines) = try await installation.output()
        #expect(status != 0 && lines.contains { $0.contains("nothing.deb") }, "\(lines)")
    }

    @EventLoop
    @Test func `a lock that is never released is an error that names it`() async throws {
        let directory = try PackageDirectory()
        try directory.hold("lists/lock")
        let (status, lines) = try await directory.install(seconds: 0).output()
        let message = "Could not get lock \(directory.path)/lists/lock"
        #expect(status != 0 && lines.contains { $0.contains(message) }, "\(lines)")
    }
}
