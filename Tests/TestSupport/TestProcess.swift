import ChildProcess
package import EventLoop
import Foundation

/// A program under test: lines in, lines out. It ends with this object and with the process of the tests.
@EventLoop
package final class TestProcess {
    /// The lines that the program prints; it ends with the program.
    package nonisolated let lines: AsyncQueue<String>

    private let child: ChildProcess
    private let ends: AsyncQueue<Int32>

    /// Starts a program, whose standard error is that of the tests unless it is merged into the lines.
    ///
    /// - Parameters:
    ///   - arguments: The program, by its path or its name in `$PATH`, and its arguments.
    ///   - environment: Variables that differ from this process's own; nil removes one.
    ///   - mergesErrors: If true, its lines contain its standard error, too.
    /// - Throws: If it cannot be started.
    package convenience init(
        _ arguments: [String],
        environment: [String: String?] = [:],
        mergesErrors: Bool = false
    ) throws {
        try self.init(arguments, environment: environment, errors: mergesErrors ? .owner : .inherited)
    }

    /// For a server, whose output goes to a file.
    init(
        _ arguments: [String],
        environment: [String: String?],
        output: ChildProcess.Stream = .owner,
        errors: ChildProcess.Stream
    ) throws {
        let lines = AsyncQueue(of: String.self)
        let ends = AsyncQueue(of: Int32.self)
        (self.lines, self.ends) = (lines, ends)
        child = try ChildProcess(
            arguments,
            environment: ["PTT_ACCESSORIES": Self.accessories].merging(environment) { $1 },
            input: .owner,
            output: output,
            errors: errors,
            line: { lines.add($0) },
            ended: { status in
                lines.finish()
                ends.add(status)
            }
        )
    }

    /// The accessory files of this source tree.
    package nonisolated static let accessories = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Accessories").standardized.path

    package nonisolated var processID: Int32 { child.processID }

    /// The file name of the program.
    package nonisolated var name: String { child.name }

    /// Writes one line to the program's standard input, or just these characters.
    package func write(_ line: String, terminated: Bool = true) {
        precondition(child.write(line, isTerminated: terminated), "it does not read")
    }

    /// Writes one line and returns the next line that the program prints.
    package func ask(_ line: String) async throws -> String {
        write(line)
        return try await lines.next()
    }

    /// Closes the program's standard input.
    package func closeInput() { child.closeInput() }

    package func signal(_ signal: Int32) { child.signal(signal) }

    /// Ends the program as a crash would, and waits until it has gone.
    package func kill() { child.kill() }

    /// Waits for the end of a program that exits.
    ///
    /// - Returns: Its exit status, or the negative number of the signal that ended it.
    /// - Throws: ``TimeLimitExceeded``.
    package func exitStatus() async throws -> Int32 {
        if let status = child.status { return status }
        return try await ends.next()
    }

    /// Waits for the end of a program that exits.
    ///
    /// - Returns: Its exit status, and the lines that were not removed from ``lines`` before.
    /// - Throws: ``TimeLimitExceeded``.
    package func output(within limit: Duration = .seconds(30)) async throws -> (
        status: Int32, lines: [String]
    ) {
        let lines = try await lines.untilEnd(within: limit)
        return (try await exitStatus(), lines)
    }
}
