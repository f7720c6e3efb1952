import ChildProcess
import EventLoop

/// `pttctl status` from its start to its end, beside other commands that make one call.
enum CommandTimes {
    private static let samples = 60

    @EventLoop
    static func measure(_ stack: StackFixture, _ table: inout Table) throws {
        let bus = "org.freedesktop.DBus"
        let commands = [
            [stack.programs + "/pttctl", "status"],
            [
                "dbus-send", "--bus=\(stack.busAddress)", "--print-reply", "--dest=\(bus)", "/",
                "\(bus).GetId",
            ],
            [
                "busctl", "--address=\(stack.busAddress)", "call", bus, "/org/freedesktop/DBus", bus,
                "GetId",
            ],
        ]
        var times = commands.map { _ in Samples() }
        for _ in 0..<samples {
            for (index, command) in commands.enumerated() { times[index].add(try time(command)) }
        }
        table.printSection("A command from its start to its end")
        table.printTimes(
            "pttctl status",
            times[0],
            in: .milliseconds,
            named: "busctl",
            beside: times[2],
            limit: .ratio(1.5)
        )
        table.printTimes("pttctl status", times[0], in: .milliseconds, named: "dbus-send", beside: times[1])
        table.printFigure(
            "pttctl status, median",
            times[0].quantile(0.5) / .milliseconds(1),
            in: .milliseconds,
            limit: .figure(20)
        )
    }

    /// Blocks the loop.
    @EventLoop
    private static func time(_ command: [String]) throws -> Duration {
        let start = MonotonicInstant.now
        guard try ChildProcess.run(command) == 0 else {
            throw Unmeasurable("\(command.joined(separator: " ")) failed")
        }
        return MonotonicInstant.now - start
    }
}
