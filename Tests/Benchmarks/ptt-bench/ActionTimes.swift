import ChildProcess
import DBus
import EventLoop
import Glibc
import TestSupport

/// A button that runs a command in place of transmitting: from the notification on the bus to the first line
/// of the command.
///
/// Beside it a C client that receives the same signal and starts the same command itself: no release would
/// come if it died.
@EventLoop
enum ActionTimes {
    private static let samples = 100
    private static let warmUp = 20
    /// The service manager has forgotten the press before.
    private static let rest = Duration.milliseconds(50)
    private static let idleSeconds = 60

    static func measure(on stack: StackFixture, _ table: inout Table) async throws {
        let directory = "\(stack.directory)/actions"
        let buttons = try await ButtonStack.start("actions", buttons: 0, on: stack)
        defer { buttons.end() }
        table.printSection("Notification on the bus to the first line of a command")
        let manager: PrivateServiceManager
        do {
            manager = try await PrivateServiceManager.start(in: directory)
        } catch {
            return table.printNote("not measured: \(PrivateServiceManager.isImpossible)")
        }
        let fifo = "\(directory)/commands"
        let observer = try Self.observer(of: fifo)
        try Self.writeActions(to: "\(directory)/pushtotalk/actions.toml", fifo)
        let program = try stack.start(
            [stack.programs + "/ptt-actions"],
            environment: [
                "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory, "HOME": directory,
                "XDG_STATE_HOME": directory + "/state", "DBUS_SESSION_BUS_ADDRESS": manager.bus,
                "DBUS_SYSTEM_BUS_ADDRESS": buttons.busAddress,
            ]
        )
        defer { stack.end(program) }
        try await stack.appearance(of: directory + "/pushtotalk/actions")
        let client = try stack.start(
            [stack.ownProgram, "baseline-run", buttons.busAddress, PrivateBlueZ.other.text]
                + Self.command("theirs", fifo)
        )
        defer { stack.end(client) }
        _ = try await observer.next("theirs")
        let (ours, theirs) = try await presses(of: buttons, observer)
        table.printTimes(
            "from rest",
            ours,
            in: .milliseconds,
            named: "C client",
            beside: theirs
        )
        try await printFigures(of: program, &table)
        withExtendedLifetime(manager) {}
    }

    private static func presses(
        of buttons: ButtonStack,
        _ observer: Observer
    ) async throws -> (Samples, Samples) {
        var (our, their) = (Samples(), Samples())
        for number in 0..<warmUp + samples {
            await pause(rest)
            let theirStart = try buttons.blueZ.notify(PrivateBlueZ.other, 1)
            let theirTime = try await observer.next("theirs").time - theirStart
            await pause(rest)
            let ourStart = try buttons.press()
            let ourTime = try await observer.next("pressed").time - ourStart
            _ = try buttons.blueZ.notify(PrivateBlueZ.button, 0)
            _ = try await observer.next("released")
            guard number >= warmUp else { continue }
            our.add(ourTime)
            their.add(theirTime)
        }
        return (our, their)
    }

    private static func printFigures(of program: ChildProcess, _ table: inout Table) async throws {
        // Earlier time limits expire first, as in IdleWakeUps.
        await pause(.seconds(62))
        let before = try ProcessFigures(program.processID)
        await pause(.seconds(idleSeconds))
        let after = try ProcessFigures(program.processID)
        // No limit: ptt-keys, which does nothing but wait, has 6.1 MB of the runtime and the C library.
        table.printFigure("ptt-actions, resident", Double(after.resident) / 1024, in: .megabytes)
        table.printFigure(
            "ptt-actions, proportional",
            Double(after.proportional) / 1024,
            in: .megabytes,
            limit: .figure(6)
        )
        table.printFigure("ptt-actions, not of files", Double(after.anonymous) / 1024, in: .megabytes)
        table.printFigure(
            "ptt-actions, voluntary switches in \(idleSeconds) idle seconds",
            Double(after.voluntarySwitches - before.voluntarySwitches),
            in: .times,
            limit: .figure(0)
        )
    }

    // MARK: The commands

    private static func command(_ word: String, _ fifo: String) -> [String] {
        ["sh", "-c", "printf '\(word)\\0' > \(fifo)"]
    }

    /// Reads the commands' words from a FIFO.
    private static func observer(of fifo: String) throws -> Observer {
        guard mkfifo(fifo, 0o600) == 0 else { throw SystemError("make \(fifo)") }
        // Also for writing: it never ends.
        let descriptor = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open \(fifo)") }
        return try Observer(adopting: OwnedDescriptor(adopting: descriptor))
    }

    private static func writeActions(to path: String, _ fifo: String) throws {
        let lines = [("press", "pressed"), ("release", "released")].map { key, word in
            let arguments = command(word, fifo).map { "'''\($0)'''" }
            return "\(key) = [\(arguments.joined(separator: ", "))]\n"
        }
        let text = "[[action]]\naccessory = \"ffe0\"\nbutton = \"talk\"\n" + lines.joined()
        try TextFile.edit(path, limit: 4096) { _ in text }
    }
}
