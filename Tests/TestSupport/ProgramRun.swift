package import EventLoop

/// A program whose output, errors among it, ends with a line that tells its exit status.
@EventLoop
package final class ProgramRun {
    package let process: TestProcess

    package init(_ arguments: [String], _ environment: [String: String] = [:]) throws {
        // The shell ends the program when its input closes, so that a crashed test leaves none behind.
        let script = #"""
            exec 3<&0
            "$@" 2>&1 </dev/null 3<&- &
            program=$!
            { cat <&3 >/dev/null; kill $program; } 2>/dev/null &
            wait $program
            echo "exit $?"
            """#
        process = try TestProcess(["/bin/sh", "-c", script, "sh"] + arguments, environment: environment)
    }

    isolated deinit { process.closeInput() }

    package func untilExit(within limit: Duration = .seconds(30)) async throws -> [String] {
        var lines: [String] = []
        while lines.last?.hasPrefix("exit ") != true {
            lines.append(try await process.lines.next(within: limit))
        }
        return lines
    }
}
