import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages
import TestSupport
import Testing

@testable import ptt_actions

/// The units of presses, with a service manager that is executed again, as on an upgrade, or is busy.
@Suite(.timeLimit(.minutes(1))) struct ActionUnitsTests {
    init() { withRunningLoop() }

    private static let press = PressID(rawValue: 1)
    private static let button = ActionPresses.Button(device: "Pedal", role: .talk)
    private static let commands = Action.Commands(press: ["true"])

    @Test @EventLoop func `a release that the service manager has lost is repeated, and is no failure`()
        async throws
    {
        let manager = try await ScriptedManager.start()
        let (units, events) = Self.units(of: manager)
        units.start(Self.press, Self.button, Self.commands)
        #expect(try await events.next() == .unitStarted(Self.press))
        manager.losesOrders = true
        units.stop(Self.press)
        let lost = try await manager.orders.first { $0.hasPrefix("StopUnit") }
        manager.end()
        try await manager.begin()
        #expect(try await manager.orders.next() == lost)
        #expect(try await events.next() == .unitStopped(Self.press, failure: nil))
        withExtendedLifetime(units) {}
    }

    @Test @EventLoop func `a press whose start the service manager has not answered is stopped`() async throws
    {
        let manager = try await ScriptedManager.start()
        let (units, events) = Self.units(of: manager)
        manager.losesOrders = true
        units.start(Self.press, Self.button, Self.commands)
        let lost = try await manager.orders.next()
        manager.end()
        guard case .unitStopped(Self.press, _?) = try await events.next() else {
            Issue.record("the press has begun")
            return
        }
        try await manager.begin()
        let stop = lost.replacing("StartTransientUnit", with: "StopUnit")
        #expect(try await manager.orders.next() == stop)
        withExtendedLifetime(units) {}
    }

    @Test @EventLoop func `what an earlier process has left is stopped once the service manager answers`()
        async throws
    {
        let manager = try await ScriptedManager.start()
        manager.loaded = ["ptt-action-earlier-1.service"]
        manager.lateLists = 1
        let (units, _) = Self.units(of: manager)
        #expect(try await manager.orders.next() == "StopUnit ptt-action-earlier-1.service")
        withExtendedLifetime(units) {}
    }

    @EventLoop
    private static func units(
        of manager: ScriptedManager
    ) -> (ActionUnits, AsyncQueue<ActionPresses.Event>) {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let units = ActionUnits(.address(manager.bus.address), log: log)
        let events = AsyncQueue(of: ActionPresses.Event.self)
        units.report = { events.add($0) }
        return (units, events)
    }
}

/// The part of org.freedesktop.systemd1 that runs units, of which it runs no command.
@EventLoop
private final class ScriptedManager {
    /// The method and the unit of each order.
    let orders = AsyncQueue(of: String.self)
    /// The units that it has.
    var loaded: Set<String> = []
    /// Until its end it starts what it is told and stops nothing, without an answer.
    var losesOrders = false
    /// How many lists of its units come too late.
    var lateLists = 0
    let bus: PrivateBus

    private var connection: BusConnection?
    private var object: ExportedObject?
    private var unanswered: [MethodInvocation] = []
    private var jobs: UInt32 = 0

    static func start() async throws -> ScriptedManager {
        let manager = ScriptedManager(try await PrivateBus.start())
        try await manager.begin()
        return manager
    }

    private init(_ bus: PrivateBus) { self.bus = bus }

    /// Has its name again, and its units.
    func begin() async throws {
        let connection = try await BusConnection.open(.address(bus.address))
        self.connection = connection
        losesOrders = false
        object = try connection.export("/org/freedesktop/systemd1", [interface])
        _ = try await connection.requestName("org.freedesktop.systemd1")
    }

    func end() {
        connection?.close()
        (connection, object, unanswered) = (nil, nil, [])
    }

    private var interface: ExportedInterface {
        let list = ExportedMethod(
            "ListUnitsByPatterns",
            inputs: ["states": "as", "patterns": "as"],
            outputs: ["units": "a(ssssssouso)"]
        ) { [weak self] in self?.list($0) }
        let start = ExportedMethod(
            "StartTransientUnit",
            inputs: ["name": "s", "mode": "s", "properties": "a(sv)", "aux": "a(sa(sv))"],
            outputs: ["job": "o"]
        ) { [weak self] in self?.carryOut("StartTransientUnit", $0) }
        let stop = ExportedMethod(
            "StopUnit",
            inputs: ["name": "s", "mode": "s"],
            outputs: ["job": "o"]
        ) { [weak self] in self?.carryOut("StopUnit", $0) }
        let subscribe = ExportedMethod("Subscribe") { $0.reply() }
        return ExportedInterface(
            "org.freedesktop.systemd1.Manager",
            methods: [subscribe, list, start, stop]
        )
    }

    private func list(_ call: MethodInvocation) {
        guard lateLists == 0 else {
            lateLists -= 1
            return call.fail(BusError(name: "org.freedesktop.DBus.Error.NoReply", message: "late"))
        }
        let (none, nowhere) = (BusValue.string(""), BusValue.objectPath("/"))
        let units = loaded.map { name in
            BusValue.structure([
                .string(name), none, none, none, none, none, nowhere, .uint32(0), none, nowhere,
            ])
        }
        call.reply(.array(of: "(ssssssouso)", units))
    }

    private func carryOut(_ method: String, _ call: MethodInvocation) {
        guard let connection, let unit = call.arguments.first?.asString else { return }
        orders.add("\(method) \(unit)")
        let isStart = method == "StartTransientUnit"
        if isStart { loaded.insert(unit) }
        guard !losesOrders else { return unanswered.append(call) }
        if !isStart { loaded.remove(unit) }
        jobs += 1
        let job = BusValue.objectPath(ObjectPath("/org/freedesktop/systemd1/job/\(jobs)") ?? "/")
        call.reply(job)
        let removed = BusSignal(
            path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.systemd1.Manager",
            member: "JobRemoved",
            arguments: [.uint32(jobs), job, .string(unit), .string("done")]
        )
        // Fails only when the connection has ended.
        try? connection.emit(removed)
    }
}
