import ChildProcess
import EventLoop
import TestSupport

/// How often the sound server wakes up while another program plays music and nothing is transmitted: with the
/// core, and without it in the same run. The tones wait, and no application records from the Push-to-Talk
/// Microphone.
@EventLoop
enum ServerWakeUps {
    private static let seconds = 15
    /// Streams have opened, and earlier sinks are suspended.
    private static let rest = Duration.seconds(5)
    /// Of a server's own restlessness from one span to another.
    private static let limit = 1.1

    static func measure(on stack: StackFixture, _ table: inout Table) async throws {
        table.printSection("Voluntary context switches of the sound server in \(seconds) s of music")
        for program in SoundServerProgram.allCases {
            let sound = try await SoundServer.start(program, on: stack)
            // As players of music do, which fill the server's buffer once in a while.
            let player = try stack.start(
                ["pacat", "--playback", "--latency-msec=2000", "/dev/zero"],
                environment: sound.environment
            )
            await pause(rest)
            let without = try await count(sound)
            let idle = try await SoundStack.start(
                "\(program.rawValue)-music",
                sound,
                configuration: SoundStack.withGate,
                on: stack
            )
            await pause(rest)
            let with = try await count(sound)
            table.printFigure(
                "\(program.rawValue), while somebody else plays",
                with,
                in: .times,
                beside: Table.Comparison(name: "without the core", value: without),
                limit: .ratio(limit)
            )
            idle.end()
            stack.end(player)
            sound.end()
        }
    }

    private static func count(_ sound: SoundServer) async throws -> Double {
        // wireplumber wakes up by itself.
        let processes = sound.processes.filter { $0.name != "wireplumber" }
        let before = try processes.map { try ProcessFigures($0.processID).voluntarySwitches }
        await pause(.seconds(seconds))
        let after = try processes.map { try ProcessFigures($0.processID).voluntarySwitches }
        return zip(before, after).reduce(0) { $0 + Double($1.1 - $1.0) }
    }
}
