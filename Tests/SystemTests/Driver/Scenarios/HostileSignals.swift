import EventLoop
import PTTMessages

extension Scenario {
    /// What another user of the machine sends over the system bus while a button is held.
    static let hostileSignals = [
        Scenario(9, "signals that another user forges change nothing", forgedSignals),
        Scenario(9, "a flood of another user's signals holds up no press and no release", flood),
        Scenario(
            9,
            "a signal that is too large costs the core a reconnection, and the sound goes on",
            largeForCore
        ),
        Scenario(9, "one that costs ptt-accessoryd its connection ends the transmission", largeForAccessoryd),
        Scenario(9, "nor can another user keep the core from its work by crowding the bus", crowd),
        Scenario(9, "after many of them, to each new connection, the next press works", barrage),
    ]

    private static let daemons = ["pttd", "ptt-accessoryd"]

    private static func forgedSignals(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        let quiet = lab.core.events.count
        try await send("forged", to: daemons)
        try await never("a transmission begins", for: .seconds(2)) {
            lab.core.beginnings(after: quiet) > 0
        }
        try await lab.press(.ffe0, for: application)
        let mark = lab.core.events.count
        try await send("forged", to: daemons)
        try await application.hearsTone()
        guard lab.core.events.count == mark else {
            throw Failure("the core tells \(lab.core.events[mark...])")
        }
        guard lab.accessories.isReady(.ffe0) else {
            throw Failure("ptt-accessoryd believes that the button is away")
        }
        try await lab.release(.ffe0)
        application.close()
    }

    private static func flood(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        let flood = try await begin("flood", to: daemons)
        for _ in 0..<3 { try await lab.talk(.ffe0, to: application) }
        try await end(flood)
        try await lab.talk(.ffe0, to: application)
        application.close()
    }

    private static func largeForCore(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await lab.press(.ffe0, for: application)
        let before = try await connections(of: "pttd")
        try await send("large", to: ["pttd"])
        try await eventually("the core has another connection to the bus") {
            let now = try await connections(of: "pttd")
            return !now.isEmpty && now != before
        }
        try await application.hearsTone()
        try await lab.release(.ffe0)
        application.close()
    }

    private static func largeForAccessoryd(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await lab.press(.ffe0, for: application)
        let mark = lab.core.events.count
        try await send("large", to: ["ptt-accessoryd"])
        try await lab.ends(.linkLost, after: mark)
        try await isSilent(application, lab)
        try await lab.ready(.ffe0)
        guard lab.core.beginnings(after: mark) == 0 else { throw Failure("it began again by itself") }
        try await Hand.release(.ffe0)
        try await lab.talk(.ffe0, to: application)
        application.close()
    }

    private static func barrage(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await lab.press(.ffe0, for: application)
        let mark = lab.core.events.count
        let barrage = try await begin("barrage", to: daemons)
        try await lab.ends(.linkLost, after: mark)
        // Some reconnections.
        try await never("a transmission begins", for: .seconds(10)) {
            lab.core.beginnings(after: mark) > 0
        }
        try await Hand.release(.ffe0)
        try await end(barrage)
        try await lab.ready(.ffe0)
        try await lab.talk(.ffe0, to: application)
        application.close()
    }

    /// Thrown off the bus, the core connects again, and is not let in.
    private static func crowd(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        try await lab.press(.ffe0, for: application)
        let processID = try await Machine.processID(of: "pttd")
        let crowd = try await begin("crowd", to: ["pttd"])
        // Longer than a loop that stands still is left alone (`WatchdogSec=10`).
        try await never("the transmission ends", for: .seconds(15)) { lab.core.status?.transmission == nil }
        try await application.hearsTone()
        try await lab.release(.ffe0)
        try await lab.talk(.ffe0, to: application)
        try await end(crowd)
        try await eventually("the core is on the bus again") { try await !connections(of: "pttd").isEmpty }
        guard try await Machine.processID(of: "pttd") == processID else {
            throw Failure("the core had to start again")
        }
        application.close()
    }

    // MARK: - The other user

    private static func send(_ kind: String, to units: [String]) async throws {
        _ = try await Command.output(of: try await command(kind, to: units))
    }

    private static func begin(_ kind: String, to units: [String]) async throws -> Command {
        let command = try Command(try await command(kind, to: units))
        try await until("the other user has begun") {
            command.output.contains("sent") || command.status != nil
        }
        guard command.status == nil else { throw Failure("hostile-signals: \(command.output)") }
        return command
    }

    /// Its process is another user's, so that only root can end it.
    private static func end(_ command: Command) async throws {
        try await Machine.root("pkill -KILL -u nobody -f hostile-signals || true")
        try await command.end()
    }

    private static func command(_ kind: String, to units: [String]) async throws -> [String] {
        var command = ["sudo", "-n", "-u", "nobody", "hostile-signals", kind]
        for unit in units { command.append("\(try await Machine.processID(of: unit))") }
        return command
    }

    /// The names that the system bus gave a daemon.
    private static func connections(of unit: String) async throws -> String {
        let processID = try await Machine.processID(of: unit)
        return try await Machine.root(
            "busctl --system list --no-legend | awk '$2 == \(processID) { print $1 }'"
        )
    }
}
