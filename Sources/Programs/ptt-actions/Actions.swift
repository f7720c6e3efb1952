import AccessoryCore
import AccessoryFiles
import EventLoop
import Glibc
import JSON
import Journal
import Logging
import Logind
import PTTMessages
import ServiceClient
import Varlink

/// Serves `org.pushtotalk.Action`, and hosts the machine of the presses: passes it one event at a time, and
/// carries out its effects.
@EventLoop
final class Actions {
    /// A press, with its client while the client is there.
    fileprivate struct Call {
        let call: VarlinkCall
        let request: ActionInterface.PressRequest
        let command: String
    }

    private let log: Logger
    private let peers: RateLimitedLog
    private let files = ActionFileWatch()
    private let units: ActionUnits
    private let keys: VirtualKeys
    private let pending: PendingReleases
    private var server: VarlinkServer?
    private var logind: LogindWatch?
    private var presses = ActionPresses()
    private var calls: [PressID: Call] = [:]
    private var recordings: [PressID: Recording] = [:]
    private var lastID = 0
    private var subscribers: [VarlinkConnection.Identifier: VarlinkCall] = [:]
    private var stopped: (@EventLoop () -> Void)?
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }

    /// - Throws: If the listening socket cannot be watched.
    init(_ socket: consuming OwnedDescriptor, log: Logger) throws(SystemError) {
        self.log = log
        peers = RateLimitedLog(log)
        units = ActionUnits(log: log)
        keys = VirtualKeys(log: log)
        pending = PendingReleases(log: log)
        units.report = { [weak self] in self?.handle($0) }
        units.appeared = { [weak self] in self?.releaseOverdue() }
        units.missed = { [pending] in pending.postpone($0) }
        keys.report = { [weak self] in self?.handle($0) }
        let info = VarlinkServiceInfo(
            vendor: Product.name,
            product: "ptt-actions",
            version: Product.version,
            url: "https://github.com/pushtotalk-linux/push-to-talk"
        )
        let server = VarlinkServer(info, [interface]) { [peers] line, process in
            peers.log(level: .warning, "\(line)", about: process)
        }
        self.server = server
        files.onChange = { [weak self] in self?.filesChanged() }
        filesChanged()
        try server.listen(on: socket)
        pending.load()
        releaseOverdue()
        pending.write()
        // A release that runs while the machine falls asleep goes on when it wakes up.
        logind = LogindWatch(delayingSleep: nil, log: log) { [weak self] event in
            switch event {
            case .suspending: self?.handle(.interrupted(.suspended))
            case .inactive: self?.handle(.interrupted(.sessionInactive))
            case .active, .resumed, .locked, .unlocked: break
            }
        }
    }

    /// Releases everything, and calls `then` once when it is, or the service manager does not do it.
    func stop(then: @escaping @EventLoop () -> Void) {
        stopped = then
        server?.stop()
        handle(.interrupted(.shuttingDown))
    }

    private func filesChanged() {
        keys.offer(files.list.keys)
        for problem in files.problems {
            log.error("\(problem). What it said before it was changed counts until it can be used")
        }
    }

    private func handle(_ event: ActionPresses.Event) {
        let effects = presses.handle(event, at: .now)
        if log.logLevel <= .debug {
            log.debug("\(event)")
            for effect in effects { log.debug("  \(effect)") }
        }
        for effect in effects { perform(effect) }
        if presses.isEmpty, let stopped {
            self.stopped = nil
            pending.whenSettled(stopped)
        }
    }

    private func perform(_ effect: ActionPresses.Effect) {
        switch effect {
        case .start(let id, let button, let action):
            pending.begin(id, button, action)
            switch action.work {
            case .run(let commands): units.start(id, button, commands)
            case .key(let code): keys.press(id, code)
            case .record(let recording): record(id, button, recording, limit: action.limit)
            }
        case .stop(let id):
            if let recording = recordings[id] {
                recording.release()
            } else if !keys.release(id) {
                units.stop(id)
            }
        case .report(let id, let report): self.report(report, of: id)
        case .setTimer(let time): timer.arm(at: MonotonicInstant(time))
        case .cancelTimer: timer.disarm()
        }
    }

    private func record(
        _ id: PressID,
        _ button: ActionPresses.Button,
        _ recording: Action.Recording,
        limit: Duration
    ) {
        do {
            guard recordings.count < ActionPresses.limit else {
                throw SystemError("record before the disk has taken what was recorded", EBUSY)
            }
            let name = calls[id]?.request.name ?? button.device
            recordings[id] = try Recording(button, name: name, format: recording.format) { [weak self] in
                self?.handle(.unitStarted(id))
            } ended: { [weak self] file, failure in
                guard let self else { return }
                recordings[id] = nil
                guard let file else {
                    return handle(.unitStopped(id, failure: failure ?? "nothing was recorded"))
                }
                units.pass(file, of: id, button, to: recording, failure: failure, limit: limit)
            }
        } catch {
            EventLoop.start { [weak self] in self?.handle(.unitStopped(id, failure: "\(error)")) }
        }
    }

    /// Releases the buttons that a power cut has left pressed.
    private func releaseOverdue() {
        for entry in pending.takeOverdue() { release(entry) }
    }

    private func release(_ entry: PendingReleases.Entry) {
        log.notice(
            "\(entry.role.rawValue) of \(entry.device) was pressed when the machine stopped: it is released"
        )
        guard let identity = DeviceIdentity(entry.device) else { return }
        let work = Action.Work.run(Action.Commands(release: entry.release))
        let id = nextID()
        let button = ActionPresses.Button(device: entry.device, role: entry.role)
        pending.resume(id, entry)
        handle(.pressed(id, button, Action(.device(identity), entry.role, work)))
        handle(.released(id, .suspended))
    }

    private func nextID() -> PressID {
        lastID += 1
        return PressID(rawValue: lastID)
    }

    private func report(_ report: ActionPresses.Report, of id: PressID) {
        if case .ended = report { pending.end(id) }
        guard let press = calls[id] else { return }
        switch report {
        case .refused(let reason):
            calls[id] = nil
            press.call.fail(.notBegun(reason))
        case .began: publish(press.event(.began), to: press.call, continues: true)
        case .ended(let cause, let failure):
            calls[id] = nil
            let remark = failure ?? (cause == .released ? nil : cause.rawValue)
            if let failure {
                peers.log(level: .warning, "the action of \(press.request.name): \(failure)")
            }
            publish(press.event(.ended, remark), to: press.call, continues: false)
        }
    }

    private func publish(_ event: ActionInterface.Event, to call: VarlinkCall, continues: Bool) {
        call.reply(.encoding(ActionInterface.PressReply(event: event)), continues: continues)
        let update = JSONText.encoding(self.update(event))
        for subscriber in subscribers.values { subscriber.reply(update, continues: true) }
    }

    // MARK: - Methods

    private var interface: VarlinkInterface {
        VarlinkInterface(
            ActionInterface.description,
            methods: [
                ActionInterface.press.name: { [weak self] call throws(VarlinkError) in
                    try self?.press(call)
                },
                ActionInterface.subscribe.name: { [weak self] call throws(VarlinkError) in
                    try self?.subscribe(call)
                },
            ]
        )
    }

    private func press(_ call: VarlinkCall) throws(VarlinkError) {
        let request: ActionInterface.PressRequest = try call.decode()
        guard call.wantsMore else { throw .expectedMore }
        for (text, key) in [(request.identifier, "identifier"), (request.name, "name")]
        where text.utf8.count > ActionInterface.PressRequest.longest { throw .invalidParameter(key) }
        let action = files.list.action(
            of: request.identifier,
            accessory: request.accessory,
            request.role
        )
        guard let action else {
            throw .notBegun("actions.toml has no action of this button: see `pttctl action list`")
        }
        guard stopped == nil else { throw .notBegun("ptt-actions is ending") }
        let id = nextID()
        calls[id] = Call(call: call, request: request, command: action.work.description)
        handle(.pressed(id, .init(device: request.identifier, role: request.role), action))
        call.connection.onClose { [weak self] in self?.handle(.released(id, .released)) }
    }

    private func subscribe(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.wantsMore else { throw .expectedMore }
        let identifier = call.connection.identifier
        subscribers[identifier] = call
        call.connection.onClose { [weak self] in self?.subscribers[identifier] = nil }
        call.reply(.encoding(update(nil)), continues: true)
    }

    private func update(_ event: ActionInterface.Event?) -> ActionInterface.Update {
        ActionInterface.Update(time: MonotonicTime.now.microseconds, event: event)
    }
}

extension Actions.Call {
    fileprivate func event(_ kind: ActionInterface.EventKind, _ remark: String? = nil)
        -> ActionInterface.Event
    {
        ActionInterface.Event(
            kind,
            identifier: request.identifier,
            name: request.name,
            role: request.role,
            command: command,
            remark: remark
        )
    }
}

extension VarlinkError {
    fileprivate static func notBegun(_ reason: String) -> VarlinkError {
        VarlinkError(ActionInterface.notBegun, ["reason": .string(reason)])
    }
}
