import EventLoop
import Foundation
import TestSupport
import Testing

/// The output of `make` where it cannot install packages.
@Suite(.timeLimit(.minutes(1)))
struct MissingLibrariesTests {
    init() { withRunningLoop() }

    @EventLoop
    @Test func `all programs of a build that are missing are named at once`() async throws {
        let scratch = try Scratch()
        let script = URL(filePath: #filePath).appending(path: "../../../.ci/missing-libraries").standardized
            .path
        // A machine that has only what the script itself is written with.
        let prepared = """
            ln -s "$(command -v bash)" "$(command -v sed)" '\(scratch.directory)'
            exec "$(command -v env)" -i PATH='\(scratch.directory)' '\(script)' libudev
            """
        let (status, lines) = try await TestProcess(["sh", "-euc", prepared], mergesErrors: true).output()
        #expect(status == 1)
        for name in [": swift 6.2", ", msgfmt", ", clang", ", python3", ", pkg-config"] {
            #expect(lines.contains { $0.contains(name) }, "\(name) in \(lines)")
        }
    }
}
