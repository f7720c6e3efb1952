import ChildProcess
import EventLoop
import TestSupport

/// How often the daemons wake up while nothing happens: a channel is joined and shown in a panel, a button
/// connected, no watchdog set. And how often the core and its sound server do without a channel: no
/// application records from the Push-to-Talk Microphone, and the tones wait.
@EventLoop
enum IdleWakeUps {
    private static let seconds = 60

    static func measure(_ stack: StackFixture, _ table: inout Table) async throws {
        var daemons = [stack.core, stack.accessoryd].compactMap(\.self).map { ($0.name, $0) }
        let indicator = try await ShownIndicator.start(on: stack)
        daemons.append(("ptt-indicator, in a panel", indicator.process))
        var ends: [() -> Void] = [{ indicator.end() }]
        for program in SoundServerProgram.allCases {
            let sound = try await SoundServer.start(program, on: stack)
            let idle = try await SoundStack.start(
                "\(program.rawValue)-idle",
                sound,
                configuration: SoundStack.withGate,
                on: stack
            )
            daemons.append(("pttd with \(program.rawValue), no channel", idle.buttons.core))
            for process in sound.processes {
                daemons.append(("\(program.rawValue)'s \(process.name), for the core", process))
            }
            ends += [{ idle.end() }, { sound.end() }]
        }
        defer { for end in ends { end() } }
        // Earlier time limits expire first. The longest is the window in which RateLimitedLog counts the
        // lines of earlier presses.
        await pause(.seconds(62))
        let before = try daemons.map { try ProcessFigures($0.1.processID).voluntarySwitches }
        await pause(.seconds(seconds))
        let after = try daemons.map { try ProcessFigures($0.1.processID).voluntarySwitches }
        table.printSection("Voluntary context switches in \(seconds) idle seconds, without a watchdog")
        for (daemon, count) in zip(daemons, zip(before, after)) {
            // It wakes up by itself, also without the core.
            let isRestless = daemon.1.name == "wireplumber"
            table.printFigure(
                daemon.0,
                Double(count.1 - count.0),
                in: .times,
                limit: isRestless ? .none : .figure(0)
            )
        }
    }
}
