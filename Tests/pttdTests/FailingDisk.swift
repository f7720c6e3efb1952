import EventLoop
import Foundation
import Glibc
import TestSupport

/// A disk under a `pttd` that hangs and becomes read-only on request (`Disk/disk.c`).
@EventLoop
final class FailingDisk {
    private let scratch: Scratch
    private var directory: String { scratch.directory }
    private let library: String
    private var gate: Int32 = -1

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// One that works.
    init() async throws {
        scratch = try Scratch()
        library = scratch.directory + "/disk.so"
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Disk/disk.c"
        let clang = try TestProcess(["clang", "-shared", "-fPIC", "-o", library, source], mergesErrors: true)
        let (status, lines) = try await clang.output()
        guard status == 0, mkfifo(directory + "/gate", 0o600) == 0 else {
            throw Missing(description: "the library for a failing disk: \(lines.joined(separator: "\n"))")
        }
        goOn()
    }

    isolated deinit { hang() }

    /// For the `pttd` that is to use this disk.
    var environment: [String: String] { ["LD_PRELOAD": library, "PTT_DISK": directory] }

    /// True if an access hangs.
    var isWaitedFor: Bool { FileManager.default.fileExists(atPath: directory + "/waited-for") }

    /// From now on each access hangs.
    func hang() {
        guard gate >= 0 else { return }
        _ = unlink(directory + "/waited-for")
        _ = close(gate)
        gate = -1
    }

    /// Also continues accesses that hang.
    func goOn() {
        guard gate < 0 else { return }
        // Opened for both, so that opening does not wait for a reader.
        gate = open(directory + "/gate", O_RDWR | O_CLOEXEC)
    }

    func setReadOnly(_ isReadOnly: Bool) throws {
        let path = directory + "/read-only"
        if isReadOnly {
            try Data().write(to: URL(filePath: path))
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
    }
}
