import ArgumentParser
import EventLoop
import Glibc
import JSON
import PTTMessages
import ServiceClient

/// Runs a command on the event loop, and turns an error into a message and an exit code.
func onLoop(_ body: @escaping @EventLoop () async throws -> Void) throws {
    let code = EventLoop.run {
        do {
            try await body()
            EventLoop.exit(code: EXIT_SUCCESS)
        } catch {
            Terminal.complain("\(error)")
            EventLoop.exit(code: exitCode(of: error))
        }
    }
    guard code == EXIT_SUCCESS else { throw ExitCode(code) }
}

private func exitCode(of error: any Error) -> Int32 {
    guard let error = error as? ServiceError else { return EXIT_FAILURE }
    return error.isUnavailability ? EX_UNAVAILABLE : EXIT_FAILURE
}

/// What a command found wrong by itself, with what to do about it.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

enum Terminal {
    /// Unbuffered: a reader behind a pipe wants each line when it happens.
    static func say(_ line: String) {
        write(line + "\n", to: STDOUT_FILENO)
    }

    static func say(_ value: some Encodable) throws {
        say(try JSON(encoding: value).text)
    }

    static func complain(_ line: String) {
        write("pttctl: \(line)\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // Nobody is left to be told that the terminal or the pipe has gone.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}

/// Ends a command that runs until it is stopped: Ctrl-C, a closed terminal, or a set time.
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

    /// Stops from within.
    func trigger() {
        continuation.finish()
    }

    func wait() async {
        for await _ in stops {}
    }
}
