import AccessoryCore
import DBus
import EventLoop
import Logging
import PTTMessages

/// The units of the user's service manager in which actions run (org.freedesktop.systemd1(5)).
///
/// A press is the start of a unit, its release the stop: so the command of the release runs once, also if
/// that of the press has failed or still runs (`ExecStopPost=` in systemd.service(5)), and also after a
/// death of this process, with which the units stop (`BindsTo=`). What is left of an earlier process is
/// stopped.
///
/// A recording that is complete is the standard input of a unit of its own, which outlives this process.
@EventLoop
final class ActionUnits {
    private static let manager = RemoteInterface(
        service: "org.freedesktop.systemd1",
        path: "/org/freedesktop/systemd1",
        name: "org.freedesktop.systemd1.Manager"
    )
    private static let prefix = "ptt-action-"
    private static let recordingPrefix = "ptt-recording-"

    /// The unit of a press.
    private struct Unit {
        let id: PressID
        /// An earlier failure of the same press.
        var failure: String?
        /// Until its release.
        var isHeld = true
        /// The job that starts it.
        var start: ObjectPath?
    }

    private let log: Logger
    /// Different in each process: a unit of this name is nobody else's.
    private let series = String(MonotonicInstant.now.nanoseconds, radix: 36)
    private var units: [String: Unit] = [:]
    private var bus: Bus?
    private var subscriptions: [Subscription] = []
    /// Calls before the first answer of the bus; nil after it. A press has started this process.
    private var waiting: [@EventLoop () -> Void]? = []

    /// To be set before the loop runs.
    var report: @EventLoop (ActionPresses.Event) -> Void = { _ in }
    /// Called whenever there is a service manager. To be set before the loop runs.
    var appeared: @EventLoop () -> Void = {}
    /// Called before a press is reported as failed because there is none. To be set before the loop runs.
    var missed: @EventLoop (PressID) -> Void = { _ in }

    init(_ address: BusAddress = .session, log: Logger) {
        self.log = log
        bus = Bus(address) { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: Bus.Event) {
        switch event {
        case .connected(let connection):
            subscriptions = [
                connection.subscribe(Self.manager.signal("JobRemoved")) { [weak self] signal in
                    self?.jobRemoved(signal)
                },
                connection.subscribe(.owner(of: Self.manager.service)) { [weak self] signal in
                    if signal.arguments.last?.asString?.isEmpty == false { self?.managerAppeared() }
                },
            ]
            managerAppeared()
            callWaiting()
        case .disconnected(let error):
            log.notice("\(error)")
            subscriptions = []
            callWaiting()
        }
    }

    /// Also a service manager that was executed again, on an upgrade for example. It keeps its units, and has
    /// lost the orders that it had not read.
    private func managerAppeared() {
        guard let connection = bus?.connection else { return }
        // Without a subscription the manager sends no signals.
        connection.call(Self.manager.call("Subscribe")) { [log] result in
            guard case .failure(let error) = result, error.name != Self.alreadySubscribed else { return }
            log.warning("\(error): no action can run")
        }
        compare(on: connection)
        appeared()
    }

    private func callWaiting() {
        let calls = waiting ?? []
        waiting = nil
        for call in calls { call() }
    }

    /// Stops what nobody holds, and forgets what is gone.
    private func compare(on connection: BusConnection) {
        // What is ordered from now on is not listed.
        let known = waiting == nil ? Set(units.keys) : []
        let patterns: [BusValue] = [
            .strings([]), .strings([Self.prefix + "*", Self.recordingPrefix + "*"]),
        ]
        let call = Self.manager.call("ListUnitsByPatterns", patterns)
        connection.call(call) { [weak self] result in
            guard let self else { return }
            guard case .success(let values) = result, let listed = values.first?.asArray else {
                // It is busy. One that is gone is asked when it appears.
                if case .failure(let error) = result, error.kind == .noReply { compare(on: connection) }
                return
            }
            let names = Set(listed.compactMap { $0.asStructure?.first?.asString })
            for name in names where name.hasPrefix(Self.prefix) && units[name]?.isHeld != true {
                order("StopUnit", name)
            }
            for name in known.subtracting(names) { stopped(name, failure: nil) }
        }
    }

    private func name(of id: PressID) -> String { "\(Self.prefix)\(series)-\(id.rawValue).service" }

    func start(_ id: PressID, _ button: ActionPresses.Button, _ commands: Action.Commands) {
        let name = name(of: id)
        start(name, Unit(id: id), Self.properties(button, commands)) { units, error in
            units.units[name] = nil
            // Where no answer came in time, it may run nevertheless.
            units.order("StopUnit", name)
            if error.kind == .disconnected || error.kind == .serviceUnknown { units.missed(id) }
            units.report(.unitStopped(id, failure: "\(error)"))
        }
    }

    func stop(_ id: PressID) {
        let name = name(of: id)
        units[name]?.isHeld = false
        call("StopUnit", [.string(name), .string("replace")]) { units, result in
            guard case .failure(let error) = result else { return }
            // It was stopped by somebody else, or with the service manager.
            if error.name == Self.noSuchUnit { return units.stopped(name, failure: nil) }
            // A service manager that is busy has the order, and one that is gone gets it when it appears.
            if error.kind == .noReply || error.kind == .serviceUnknown { return }
            units.stopped(name, failure: "\(error)")
        }
    }

    /// Has a recording written to a folder, or a command run with it as its standard input. A press waits for
    /// the first only. The file is at its beginning, `failure` went wrong before, and `limit` is that of the
    /// command.
    func pass(
        _ file: BusDescriptor,
        of id: PressID,
        _ button: ActionPresses.Button,
        to recording: Action.Recording,
        failure: String?,
        limit: Duration
    ) {
        let name = "\(Self.recordingPrefix)\(series)-\(id.rawValue).service"
        let properties = Self.properties(recording.command(of: button.role), file, button, limit)
        start(name, Unit(id: id, failure: failure), properties) { units, error in
            units.stopped(name, failure: "the recording is lost: \(error)")
        }
        if case .command = recording { report(.handedOver(id)) }
    }

    private static let noSuchUnit = "org.freedesktop.systemd1.NoSuchUnit"
    private static let alreadySubscribed = "org.freedesktop.systemd1.AlreadySubscribed"

    private func start(
        _ name: String,
        _ unit: Unit,
        _ properties: BusValue,
        failed: @escaping @EventLoop (ActionUnits, BusError) -> Void
    ) {
        units[name] = unit
        let arguments: [BusValue] = [
            .string(name), .string("fail"), properties, .array(of: "(sa(sv))", []),
        ]
        call("StartTransientUnit", arguments) { units, result in
            switch result {
            case .success(let values): units.units[name]?.start = values.first?.asObjectPath
            case .failure(let error): failed(units, error)
            }
        }
    }

    private func call(
        _ method: String,
        _ arguments: [BusValue],
        then: @escaping @EventLoop (ActionUnits, Result<[BusValue], BusError>) -> Void
    ) {
        if waiting != nil {
            waiting?.append { [weak self] in self?.call(method, arguments, then: then) }
            return
        }
        guard let connection = bus?.connection else {
            return EventLoop.start { [weak self] in
                if let self { then(self, .failure(.disconnected("there is no session bus"))) }
            }
        }
        connection.call(Self.manager.call(method, arguments)) { [weak self] result in
            if let self { then(self, result) }
        }
    }

    private func jobRemoved(_ signal: BusSignal) {
        // The number of the job, its path, the unit, and how it ended.
        guard signal.arguments.count == 4, let path = signal.arguments[1].asObjectPath,
            let name = signal.arguments[2].asString, let result = signal.arguments[3].asString,
            let unit = units[name]
        else { return }
        guard path == unit.start else { return finish(name) }
        switch result {
        // The start of a recording's unit is done when its command has ended, which `default` reports.
        case "done" where name.hasPrefix(Self.prefix):
            report(.unitStarted(unit.id))
            EventLoop.start { [self] in
                guard let status = await read("ExecMainStatus", of: name)?.asInt, status != 0 else { return }
                units[name]?.failure = "the command of the press ended with status \(status)"
            }
        // Our own order to stop takes its place.
        case "canceled": break
        default: finish(name)
        }
    }

    /// The unit has stopped, also if somebody else has stopped it. The service manager forgets one without a
    /// failure at once.
    private func finish(_ name: String) {
        EventLoop.start { [self] in
            let result = await read("Result", of: name)?.asString ?? "success"
            if result == "success" { return stopped(name, failure: nil) }
            order("ResetFailedUnit", name)
            stopped(name, failure: "a command failed: \(result), see `journalctl --user -u \(name)`")
        }
    }

    private func stopped(_ name: String, failure: String?) {
        guard let unit = units.removeValue(forKey: name) else { return }
        report(.unitStopped(unit.id, failure: failure ?? unit.failure))
    }

    /// Reads a property of a service; nil if it is not loaded any more.
    private func read(_ property: String, of name: String) async -> BusValue? {
        guard let connection = bus?.connection else { return nil }
        let service = Self.manager.service
        do throws(BusError) {
            let found = try await connection.call(Self.manager.call("GetUnit", [.string(name)]))
            guard let path = found.first?.asObjectPath else { return nil }
            let unit = RemoteInterface(service: service, path: path, name: "org.freedesktop.systemd1.Service")
            return try await connection.call(unit.get(property)).first
        } catch {
            // It has gone meanwhile, or the service manager or the bus has.
            return nil
        }
    }

    /// An order whose failure changes nothing: the unit is gone, or it is ordered again when the service
    /// manager or the bus is back.
    private func order(_ method: String, _ name: String) {
        let mode: [BusValue] = method == "StopUnit" ? [.string("replace")] : []
        bus?.connection?.call(Self.manager.call(method, [.string(name)] + mode)) { _ in }
    }
}
