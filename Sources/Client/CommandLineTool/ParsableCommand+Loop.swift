package import ArgumentParser
import EventLoop
import Glibc
import Invocation
import ServiceClient

extension ParsableCommand {
    /// Runs the command that this process's arguments name, and ends the process.
    package static func runAndExit() -> Never {
        var failure: (any Error)?
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            failure = error
        }
        // Not `exit(withError:)`, which prints past ``Terminal`` and does not know whether anything could be
        // written.
        var code = failure.map { exitCode(for: $0) } ?? .success
        Terminal.printMessage(failure.map { fullMessage(for: $0) } ?? "", isError: code != .success)
        if !Terminal.finish(), code == .success { code = .failure }
        Glibc.exit(code.rawValue)
    }
}

/// Runs a command on the event loop, and reports an error by a message and an exit code.
package func runOnLoop(_ body: @escaping @EventLoop () async throws -> Void) throws {
    let code = EventLoop.run {
        do {
            try await body()
            EventLoop.exit(code: EXIT_SUCCESS)
        } catch let code as ExitCode {
            // The command has printed the reason.
            EventLoop.exit(code: code.rawValue)
        } catch {
            Terminal.printError((error as? ServiceError)?.text.localized ?? "\(error)")
            EventLoop.exit(code: exitCode(of: error))
        }
    }
    guard code == EXIT_SUCCESS else { throw ExitCode(code) }
}

/// A daemon that could not be reached is told apart from an answer that refuses.
private func exitCode(of error: any Error) -> Int32 {
    switch error as? ServiceError {
    case .unreachable, .lost: EX_UNAVAILABLE
    case .refused, .rejected, .failed, nil: EXIT_FAILURE
    }
}

/// An error that a command itself detects, with what to do about it.
package struct CommandError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
