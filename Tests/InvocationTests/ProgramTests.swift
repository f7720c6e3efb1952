import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

/// Every built program: with arguments it starts nothing, and needs no session.
@Suite(.timeLimit(.minutes(1)))
struct ProgramTests {
    static let programs = [
        "pttd", "ptt-accessoryd", "ptt-actions", "ptt-indicator", "ptt-keys", "pttctl", "ptt-doctor",
        "ptt-sim", "ptt-echo",
    ]

    init() { withRunningLoop() }

    @EventLoop
    private func output(_ program: String, _ argument: String) async throws -> (
        status: Int32, lines: [String]
    ) {
        let process = try TestProcess(
            [TestProcess.built(program), argument],
            environment: ["XDG_RUNTIME_DIR": nil, "HOME": nil, "DBUS_SESSION_BUS_ADDRESS": nil],
            mergesErrors: true
        )
        return try await process.output()
    }

    @Test(arguments: programs) @EventLoop
    func `a program prints its version`(program: String) async throws {
        let output = try await output(program, "--version")
        #expect(output.status == 0)
        #expect(output.lines == [Product.version])
    }

    @Test(arguments: programs) @EventLoop
    func `a program explains itself`(program: String) async throws {
        let output = try await output(program, "--help")
        #expect(output.status == 0)
        #expect(output.lines.first?.hasPrefix("OVERVIEW: ") == true)
        #expect(output.lines.contains { $0.hasPrefix("USAGE: \(program)") })
    }

    @Test(arguments: programs) @EventLoop
    func `a program refuses an unknown option`(program: String) async throws {
        let output = try await output(program, "--no-such-option")
        #expect(output.status == EX_USAGE)
        #expect(output.lines.first?.hasPrefix("Error: ") == true)
    }

    @Test @EventLoop func `a version that cannot be written is a failure`() async throws {
        let process = try TestProcess(["sh", "-c", "\(TestProcess.built("pttd")) --version >/dev/full"])
        #expect(try await process.exitStatus() == 1)
    }
}
