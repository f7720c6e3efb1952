import ChildProcess
import EventLoop

/// A program of the guest, and what it prints. It is killed when it is dropped.
@EventLoop
final class Command {
    private final class Output {
        var text = ""
    }

    /// The limit of the kept output, in characters: more than any program of the tests prints.
    private static let limit = 1 << 20

    let name: String

    private let child: ChildProcess
    private let written = Output()

    /// Starts a program by its path or its name in `$PATH`.
    init(_ arguments: [String]) throws {
        name = arguments.joined(separator: " ")
        child = try ChildProcess(
            arguments,
            output: .owner,
            errors: .owner,
            line: { [written] line in
                if written.text.utf8.count < Self.limit { written.text += line + "\n" }
                Conditions.evaluate()
            },
            ended: { _ in Conditions.evaluate() }
        )
    }

    var processID: Int32 { child.processID }

    /// Each line with its end.
    var output: String { written.text }

    /// The exit status, or the negative number of the signal that ended it.
    var status: Int32? { child.status }

    /// Runs a program to its end.
    ///
    /// - Returns: Its exit status and what it printed.
    static func run(_ arguments: [String], within limit: Duration = standardLimit) async throws -> (
        status: Int32, output: String
    ) {
        let command = try Command(arguments)
        return (try await command.end(within: limit), command.output)
    }

    /// Runs a program that must succeed, and gives what it printed.
    @discardableResult
    static func output(of arguments: [String], within limit: Duration = standardLimit) async throws -> String
    {
        let (status, output) = try await run(arguments, within: limit)
        guard status == 0 else {
            throw Failure("`\(arguments.joined(separator: " "))` ended with \(status): \(output)")
        }
        return output
    }

    func signal(_ signal: Int32) { child.signal(signal) }

    /// Waits for the end.
    @discardableResult
    func end(within limit: Duration = standardLimit) async throws -> Int32 {
        try await until("`\(name)` ends", within: limit) { [self] in status != nil }
        return status ?? 0
    }
}
