import EventLoop
import PTTMessages

extension Scenario {
    /// Signals of another user on the system bus while a button is held.
    static let hostileSignals = [
        Scenario(part: 9, "signals that another user forges change nothing", forgedSignals),
        Scenario(part: 9, "a flood of another user's signals holds up no press and no release", flood),
        Scenario(
            part: 9,
            "a signal that is too large costs the core a reconnection, and the sound goes on",
            largeForCore
        ),
        Scenario(
            part: 9,
            "one that costs ptt-accessoryd its connection ends the transmission",
            largeForAccessoryd
        ),
        Scenario(part: 9, "nor can another user keep the core from its work by crowding the bus", crowd),
        Scenario(part: 9, "after many of them, to each new connection, the next press works", barrage),
    ]

    private static let daemons = ["pttd", "ptt-accessoryd"]

    private static func forgedSignals(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        let quiet = fixture.core.events.count
        try await send("forged", to: daemons)
        try await never("a transmission begins", for: .seconds(2)) {
            fixture.core.beginnings(after: quiet) > 0
        }
        try await fixture.press(.ffe0, for: application)
        let mark = fixture.core.events.count
        try await send("forged", to: daemons)
        try await application.receivesTone()
        guard fixture.core.events.count == mark else {
            throw Failure("the core published \(fixture.core.events[mark...])")
        }
        guard fixture.accessories.isReady(.ffe0) else {
            throw Failure("ptt-accessoryd believes that the button is away")
        }
        try await fixture.release(.ffe0)
        application.close()
    }

    private static func flood(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        let flood = try await begin("flood", to: daemons)
        for _ in 0..<3 { try await fixture.talk(.ffe0, to: application) }
        try await end(flood)
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    private static func largeForCore(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await fixture.press(.ffe0, for: application)
        let before = try await connections(of: "pttd")
        try await send("large", to: ["pttd"])
        try await eventually("the core has another connection to the bus") {
            let now = try await connections(of: "pttd")
            return !now.isEmpty && now != before
        }
        try await application.receivesTone()
        try await fixture.release(.ffe0)
        application.close()
    }

    private static func largeForAccessoryd(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await fixture.press(.ffe0, for: application)
        let mark = fixture.core.events.count
        try await send("large", to: ["ptt-accessoryd"])
        try await fixture.ends(.linkLost, after: mark)
        try await isSilent(application, fixture)
        try await fixture.ready(.ffe0)
        guard fixture.core.beginnings(after: mark) == 0 else {
            throw Failure("a transmission began without a press")
        }
        try await ButtonSimulator.release(.ffe0)
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    private static func barrage(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await fixture.press(.ffe0, for: application)
        let mark = fixture.core.events.count
        let barrage = try await begin("barrage", to: daemons)
        try await fixture.ends(.linkLost, after: mark)
        // Some reconnections.
        try await never("a transmission begins", for: .seconds(10)) {
            fixture.core.beginnings(after: mark) > 0
        }
        try await ButtonSimulator.release(.ffe0)
        try await end(barrage)
        try await fixture.ready(.ffe0)
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    /// The bus disconnects the core, which reconnects, and is refused.
    private static func crowd(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        try await fixture.press(.ffe0, for: application)
        let processID = try await Machine.processID(of: "pttd")
        let crowd = try await begin("crowd", to: ["pttd"])
        // Longer than the watchdog tolerates a loop that is stuck (`WatchdogSec=10`).
        try await never("the transmission ends", for: .seconds(15)) {
            fixture.core.status?.transmission == nil
        }
        try await application.receivesTone()
        try await fixture.release(.ffe0)
        try await fixture.talk(.ffe0, to: application)
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

    /// Its process belongs to another user, so that only root can end it.
    private static func end(_ command: Command) async throws {
        try await Machine.root("pkill -KILL -u nobody -f hostile-signals || true")
        try await command.end()
    }

    private static func command(_ kind: String, to units: [String]) async throws -> [String] {
        var command = ["sudo", "-n", "-u", "nobody", "hostile-signals", kind]
        for unit in units { command.append("\(try await Machine.processID(of: unit))") }
        return command
    }

    /// The names of a daemon on the system bus.
    private static func connections(of unit: String) async throws -> String {
        let processID = try await Machine.processID(of: unit)
        return try await Machine.root(
            "busctl --system list --no-legend | awk '$2 == \(processID) { print $1 }'"
        )
    }
}
