import ArgumentParser
import EventLoop
import Glibc
import JSON
import PTTMessages
import ServiceClient

/// Runs a command on the event loop, and reports an error by a message and an exit code.
func runOnLoop(_ body: @escaping @EventLoop () async throws -> Void) throws {
    let code = EventLoop.run {
        do {
            try await body()
            EventLoop.exit(code: EXIT_SUCCESS)
        } catch let code as ExitCode {
            // The command has printed the reason.
            EventLoop.exit(code: code.rawValue)
        } catch {
            Terminal.printError("\(error)")
            EventLoop.exit(code: exitCode(of: error))
        }
    }
    guard code == EXIT_SUCCESS else { throw ExitCode(code) }
}

private func exitCode(of error: any Error) -> Int32 {
    guard let error = error as? ServiceError else { return EXIT_FAILURE }
    return error.isUnavailability ? EX_UNAVAILABLE : EXIT_FAILURE
}

/// An error that a command itself detects, with what to do about it.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

enum Terminal {
    /// Unbuffered: the reader of a pipe needs each line as soon as it is written.
    static func print(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    static func print(_ value: some Encodable) throws {
        print(try JSON(encoding: value).text)
    }

    static func printError(_ line: String) {
        write("pttctl: \(line)\n", to: STDERR_FILENO)
    }

    /// Writes without ending the line.
    static func write(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // If the terminal or the pipe has closed, there is no place left to report that.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// Stops a command that runs until Ctrl-C, the end of its terminal, or a time limit.
@EventLoop
final class StopSignal {
    private var sources: [SignalSource] = []
    private var timer: TimerSource?
    private let stops: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(after limit: Duration? = nil) throws {
        (stops, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let continuation = continuation
        sources = try [SIGINT, SIGTERM, SIGHUP].map { signal in
            try SignalSource(signal) { continuation.finish() }
        }
        if let limit {
            let timer = TimerSource { continuation.finish() }
            timer.arm(after: limit)
            self.timer = timer
        }
    }

    /// Stops the command.
    func trigger() {
        continuation.finish()
    }

    func wait() async {
        for await _ in stops {}
        // sd_event allows a signal one source. What follows in the same command may need another.
        sources = []
    }
}
