import ArgumentParser
import CommandLineTool
import EventLoop

/// A command that runs on the event loop.
protocol LoopCommand: ParsableCommand, Sendable {
    @EventLoop func perform() async throws
}

extension LoopCommand {
    mutating func run() throws {
        let command = self
        try runOnLoop { try await command.perform() }
    }
}
