import EventLoop
import Glibc
import JSON
import TestSupport

@testable import ptt_doctor

/// The built `pttctl doctor` on a machine of its own: directories, buses and sockets that a test makes, or
/// leaves out.
@EventLoop
final class DoctorFixture {
    let scratch: Scratch
    /// `XDG_RUNTIME_DIR`
    let runtime: String
    let home: String
    /// `--root`
    let root: String
    var environment: [String: String?]

    init() throws {
        scratch = try Scratch()
        runtime = scratch.directory + "/runtime"
        home = scratch.directory + "/home"
        root = scratch.directory + "/root"
        for path in [runtime, runtime + "/pushtotalk", root] {
            guard mkdir(path, 0o700) == 0 else { throw SystemError("make \(path)") }
        }
        environment = [
            "XDG_RUNTIME_DIR": runtime, "HOME": home, "XDG_CONFIG_HOME": nil, "XDG_DATA_HOME": nil,
            "XDG_STATE_HOME": nil, "SUDO_USER": nil, "XDG_CURRENT_DESKTOP": nil, "SNAP": nil,
            "FLATPAK_ID": nil, "PULSE_SERVER": "unix:\(runtime)/no-sound",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtime)/no-bus",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(runtime)/no-bus",
        ]
    }

    struct Report {
        let status: Int32
        let findings: [FindingRecord]

        subscript(check: String) -> [FindingRecord] { findings.filter { $0.check == check } }
    }

    /// - Throws: ``TimeLimitExceeded`` if it takes longer than a person waits.
    func run(_ arguments: [String] = []) async throws -> Report {
        let process = try TestProcess(
            [TestProcess.built("pttctl"), "doctor", "--json", "--root", root] + arguments,
            environment: environment
        )
        let (status, lines) = try await process.output(within: .seconds(20))
        return Report(
            status: status,
            findings: try lines.map { try JSON(parsing: $0).decode(FindingRecord.self) }
        )
    }

    /// Writes a file below the root, and makes its directories.
    func write(_ text: String, to path: String) throws {
        try write(text, at: root + path)
    }

    func write(_ text: String, at path: String) throws {
        var made = ""
        for part in path.split(separator: "/").dropLast() {
            made += "/" + part
            guard mkdir(made, 0o755) == 0 || errno == EEXIST else { throw SystemError("make \(made)") }
        }
        guard let file = fopen(path, "we") else { throw SystemError("write \(path)") }
        let written = fputs(text, file)
        guard fclose(file) == 0, written >= 0 else { throw SystemError("write \(path)") }
    }
}
