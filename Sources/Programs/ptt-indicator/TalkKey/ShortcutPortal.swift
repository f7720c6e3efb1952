import DBus
import EventLoop
import IndicatorCore
import Invocation
import Logging
import PTTMessages
import ServiceClient

/// The talk key of the keyboard, through the desktop's GlobalShortcuts portal
/// (org.freedesktop.portal.GlobalShortcuts of xdg-desktop-portal).
///
/// ``ShortcutSession`` decides; this makes its calls. One object for each connection to the bus.
@EventLoop
final class ShortcutPortal {
    private static let portal = "org.freedesktop.portal.Desktop"
    private static let path: ObjectPath = "/org/freedesktop/portal/desktop"
    private static let shortcuts = RemoteInterface(
        service: portal,
        path: path,
        name: "org.freedesktop.portal.GlobalShortcuts"
    )
    private static let request = "org.freedesktop.portal.Request"
    private static let sessions = "org.freedesktop.portal.Session"
    private static let registry = RemoteInterface(
        service: portal,
        path: path,
        name: "org.freedesktop.host.portal.Registry"
    )
    private static let backends = "org.freedesktop.impl.portal"
    /// The name of the desktop entry.
    private static let application = "org.pushtotalk.Indicator"
    /// People read it where they choose the key. A chord is a bad choice: compositors miss a release whose
    /// modifier goes up first. So is a modifier alone, which Plasma reports when it is released.
    private static let description = Text(
        "Push to talk while held (choose a single key, not Ctrl, Alt or Shift)"
    )

    /// The time limit of a request. The desktop may ask the person before it answers the last one.
    private static let timeLimit = (answer: Duration.seconds(10), person: Duration.seconds(300))

    private let connection: BusConnection
    private let log: Logger
    private let post: @EventLoop (Indicator.Event) -> Void
    private var session = ShortcutSession()
    private var subscriptions: [Subscription] = []
    /// The request that is not answered yet.
    private var outstanding: (token: String, limit: TimerSource)?
    /// The responses to come, by token, also of requests that were given up: one may make a session.
    private var responses: [String: Subscription] = [:]
    /// The last one that was made.
    private var token = 0
    private lazy var retry = TimerSource { [weak self] in self?.handle(.timerFired) }

    init(on connection: BusConnection, log: Logger, post: @escaping @EventLoop (Indicator.Event) -> Void) {
        self.connection = connection
        self.log = log
        self.post = post
        subscribe()
    }

    private func subscribe() {
        let closed = MatchRule(
            sender: Self.portal,
            pathNamespace: path(of: "session"),
            interface: Self.sessions,
            member: "Closed"
        )
        subscriptions = [
            subscribe("Activated", .pressed), subscribe("Deactivated", .released),
            connection.subscribe(closed) { [weak self] in self?.handle(.closed(session: $0.path.text)) },
            // The end of a backend is reported in no other way.
            connection.subscribe(.owners(below: Self.backends)) { [weak self] signal in
                guard signal.arguments.count == 3, let former = signal.arguments[1].asString,
                    let owner = signal.arguments[2].asString
                else { return }
                if !former.isEmpty { self?.handle(.backendLost) }
                if !owner.isEmpty { self?.handle(.backendAppeared) }
            },
            connection.watchName(Self.portal) { [weak self] owner in
                // Its requests end with it.
                if owner == nil { self?.responses = [:] }
                self?.handle(.portalOwner(owner))
            },
        ]
    }

    private func subscribe(_ member: String, _ event: TalkKey.Event) -> Subscription {
        connection.subscribe(Self.shortcuts.signal(member)) { [weak self] signal in
            guard signal.arguments.count >= 2, let session = signal.arguments[0].asObjectPath,
                let shortcut = signal.arguments[1].asString
            else { return }
            self?.handle(.key(event, session: session.text, shortcut: shortcut))
        }
    }

    private func handle(_ event: ShortcutSession.Event) {
        let couldChoose = session.configurableSession != nil
        for effect in session.handle(event, at: MonotonicTime(.now)) { perform(effect) }
        let canChoose = session.configurableSession != nil
        if canChoose != couldChoose { post(.keyChoiceChanged(isOffered: canChoose)) }
    }

    /// Lets the desktop ask the person for the key.
    func chooseKey() {
        guard let path = session.configurableSession.flatMap({ ObjectPath($0) }) else { return }
        let arguments: [BusValue] = [.objectPath(path), .string(""), .properties([:])]
        connection.call(Self.shortcuts.call("ConfigureShortcuts", arguments)) { [log] result in
            if case .failure(let error) = result { log.notice("the key cannot be chosen: \(error)") }
        }
    }

    private func perform(_ effect: ShortcutSession.Effect) {
        switch effect {
        case .register(let attempt): register(attempt)
        case .getVersion(let attempt): getVersion(attempt)
        case .createSession(let attempt): createSession(attempt)
        case .listShortcuts(let attempt, let session): listShortcuts(attempt, session)
        case .bindShortcuts(let attempt, let session): bindShortcuts(attempt, session)
        case .closeSession(let session): close(session)
        case .arm(let time): retry.arm(at: MonotonicInstant(time))
        case .disarm: retry.disarm()
        case .key(let event): post(.key(event))
        }
    }

    private func answer(_ attempt: ShortcutSession.Attempt, _ answer: ShortcutSession.Answer) {
        log.debug("attempt \(attempt): \(answer)")
        handle(.answered(attempt, answer))
    }

    // MARK: - Calls

    /// Unknown to xdg-desktop-portal before 1.19.4, which reads the identifier from the name of the unit.
    private func register(_ attempt: ShortcutSession.Attempt) {
        let arguments: [BusValue] = [.string(Self.application), .properties([:])]
        connection.call(Self.registry.call("Register", arguments)) { [weak self] result in
            guard case .failure(let error) = result else {
                self?.answer(attempt, .registered)
                return
            }
            switch error.kind {
            case .serviceUnknown: self?.fail(attempt, error, .impossible)
            case .noReply, .disconnected: self?.fail(attempt, error, .failed)
            case .unknownObject, .invalidArguments, .accessDenied, .other:
                self?.answer(attempt, .registered)
            }
        }
    }

    private func getVersion(_ attempt: ShortcutSession.Attempt) {
        connection.call(Self.shortcuts.get("version")) { [weak self] result in
            switch result {
            case .success(let values): self?.answer(attempt, .version(values.first?.asInt ?? 0))
            case .failure(let error): self?.fail(attempt, error, Self.meaning(of: error))
            }
        }
    }

    private func createSession(_ attempt: ShortcutSession.Attempt) {
        let options: [BusKey: BusValue] = ["session_handle_token": .string(nextToken())]
        request(attempt, "CreateSession", [], options) { results in
            // A string in xdg-desktop-portal 1.16, an object path in its documentation.
            let handle = results["session_handle"]
            guard let text = handle?.asString ?? handle?.asObjectPath?.text, let path = ObjectPath(text)
            else { return nil }
            return .created(session: path.text)
        }
    }

    private func listShortcuts(_ attempt: ShortcutSession.Attempt, _ session: String) {
        guard let path = ObjectPath(session) else { return answer(attempt, .failed) }
        request(attempt, "ListShortcuts", [.objectPath(path)]) { [log] results in
            guard let key = results["shortcuts"]?.talkKey else { return .listed(isKnown: false) }
            log.info("\(key)")
            return .listed(isKnown: true)
        }
    }

    private func bindShortcuts(_ attempt: ShortcutSession.Attempt, _ session: String) {
        guard let path = ObjectPath(session) else { return answer(attempt, .failed) }
        let shortcut = BusValue.structure([
            .string(ShortcutSession.shortcut),
            .properties(["description": .string(Self.description.localized)]),
        ])
        let arguments: [BusValue] = [
            .objectPath(path), .array(of: "(sa{sv})", [shortcut]), .string(""),
        ]
        request(attempt, "BindShortcuts", arguments, limit: Self.timeLimit.person) { [log] results in
            guard let key = results["shortcuts"]?.talkKey else { return nil }
            log.info("\(key)")
            return .bound
        }
    }

    private func close(_ session: String) {
        guard let path = ObjectPath(session) else { return }
        let session = RemoteInterface(service: Self.portal, path: path, name: Self.sessions)
        // It may have ended with what was lost.
        connection.call(session.call("Close", startsService: false)) { _ in }
    }

    // MARK: - Requests

    /// Makes a call whose result is a signal of a request object (org.freedesktop.portal.Request).
    /// `read` makes the answer of the results that came within `limit`; nil if what was asked for is not in
    /// them.
    private func request(
        _ attempt: ShortcutSession.Attempt,
        _ member: String,
        _ arguments: [BusValue],
        _ options: [BusKey: BusValue] = [:],
        limit: Duration = timeLimit.answer,
        read: @escaping @EventLoop ([BusKey: BusValue]) -> ShortcutSession.Answer?
    ) {
        let token = nextToken()
        var options = options
        options["handle_token"] = .string(token)
        let finish: @EventLoop (ShortcutSession.Answer) -> Void = { [weak self] answer in
            guard let self else { return }
            if outstanding?.token == token {
                outstanding = nil
            } else {
                // Of an earlier request only a session matters, which is closed.
                guard case .created = answer else { return }
            }
            self.answer(attempt, answer)
        }
        // Subscribed before the call: the signal may arrive before the reply.
        let rule = MatchRule(
            sender: Self.portal,
            path: path(of: "request").appending(token),
            interface: Self.request,
            member: "Response"
        )
        responses[token] = connection.subscribe(rule) { [weak self, log] signal in
            self?.responses[token] = nil
            // Of a request that was given up only a session matters.
            guard self?.outstanding?.token == token || member == "CreateSession" else { return }
            guard signal.arguments.count == 2, let code = signal.arguments[0].asInt,
                let results = signal.arguments[1].asProperties
            else { return finish(.failed) }
            if code == 1 {
                log.notice("\(member): the person refused a talk key")
                return finish(.impossible)
            }
            // xdg-desktop-portal-gnome 48.0 binds the key, and returns a code that it has never set.
            guard let answer = read(results) else {
                log.info("\(member): the desktop answered with \(code)")
                return finish(.failed)
            }
            finish(answer)
        }
        let timer = TimerSource { [log] in
            log.info("\(member): no answer within \(limit)")
            finish(.failed)
        }
        timer.arm(after: limit)
        outstanding = (token, timer)
        let call = Self.shortcuts.call(member, arguments + [.properties(options)])
        connection.call(call) { [weak self, log] result in
            guard case .failure(let error) = result else { return }
            log.info("\(error)")
            // A portal that was only slow may still respond.
            if error.kind != .noReply { self?.responses[token] = nil }
            finish(Self.meaning(of: error))
        }
    }

    /// Returns what another attempt would give after this error. A portal without shortcuts does not have the
    /// interface, which GDBus reports as invalid arguments.
    private static func meaning(of error: BusError) -> ShortcutSession.Answer {
        switch error.kind {
        case .serviceUnknown, .unknownObject, .invalidArguments, .accessDenied: .impossible
        case .noReply, .disconnected, .other: .failed
        }
    }

    private func fail(
        _ attempt: ShortcutSession.Attempt,
        _ error: BusError,
        _ answer: ShortcutSession.Answer
    ) {
        log.info("no talk key on the keyboard: \(error)")
        self.answer(attempt, answer)
    }

    private func nextToken() -> String {
        token += 1
        return "ptt\(token)"
    }

    /// The portal's objects of this connection: `…/request/1_42`, for example.
    private func path(of kind: String) -> ObjectPath {
        let sender = connection.uniqueName.dropFirst().map { $0 == "." ? "_" : $0 }
        // The bus makes unique names of digits and dots.
        return ObjectPath("\(Self.path)/\(kind)/\(String(sender))") ?? Self.path
    }
}
