import AccessoryCore
import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// Forwards what accessories report to the core. A request without a connection is refused and never
/// repeated: a press counts when it happens or not at all.
@EventLoop
final class PressForwarder {
    enum Event {
        case connected
        /// Every transmission that was begun on the connection has ended with it.
        case lost(reason: String)
        /// A press begins a transmission from now on, or begins none any more.
        case pressesChanged(areAccepted: Bool)
        case transmissionEnded(TransmissionID, EndCause)
    }

    /// The events that matter to buttons and headsets. Most others come with each press.
    private static let kinds = [
        "channelJoined", "channelLeft", "accessoryEventsChanged", "virtualMicrophoneChanged",
        "transmissionEnded",
    ]

    /// For presses that do something else than transmit.
    let actions: ActionForwarder
    private let log: Logger
    /// To be set before ``start()``.
    var handler: @EventLoop (Event) -> Void = { _ in }

    /// Up to date only in what the events of ``kinds`` change.
    private var lastStatus: Status?
    private var lastEnded: (transmissionID: TransmissionID, cause: EndCause)?
    private var isAbsenceLogged = false
    private var isWatchFailureLogged = false
    private lazy var core = CoreConnection(
        eventsOf: Self.kinds,
        updated: { [weak self] in self?.handle($0) },
        lost: { [weak self] in self?.handler(.lost(reason: $0)) },
        failed: { [weak self] in self?.logAbsence($0) },
        unwatchable: { [weak self] in self?.logWatchFailure($0) }
    )
    /// Why no press may begin anything; nil usually.
    private var suspension: String?

    init(log: Logger) {
        self.log = log
        actions = ActionForwarder(log: log)
    }

    /// True if a press of a button runs its action. While presses are refused, so is this one.
    func runsAction(_ role: ButtonRole, of accessory: Accessory) -> Bool {
        suspension == nil && actions.isAction(role, of: accessory)
    }

    /// True if a press of any of its buttons runs an action. While presses are refused, none does.
    func runsActions(of accessory: Accessory) -> Bool {
        suspension == nil && actions.hasAction(accessory)
    }

    /// True if the core has answered on the present connection.
    var isConnected: Bool { core.isAnswered }

    private var status: Status? { core.isAnswered ? lastStatus : nil }

    /// The destination of a press, for people.
    enum Destination: String {
        case channel = "A channel is joined"
        case virtualMicrophone = "The Push-to-Talk Microphone is in use"
        case none = "No channel is joined"
    }

    var destination: Destination {
        guard let status else { return .none }
        if status.channel != nil { return .channel }
        return status.acceptsAccessoryPresses ? .virtualMicrophone : .none
    }

    private var acceptsPresses: Bool { status?.acceptsAccessoryPresses ?? false }

    /// Connects, now or as soon as the core listens. Where systemd listens for the core, this starts it.
    func start() { core.start() }

    /// Requests a transmission, in this turn of the loop. `then` is called once, never before this returns.
    func begin(
        _ origin: Origin,
        role: ButtonRole = .talk,
        then: @escaping @EventLoop (Result<TransmissionID, Refusal>) -> Void
    ) {
        guard isConnected, let requests = core.requests else {
            let reason = suspension ?? "the core is not connected: see `systemctl --user status pttd`"
            EventLoop.start { then(.failure(Refusal(.unknown, reason))) }
            return connectNow()
        }
        let request = ChannelInterface.BeginRequest(
            channelID: nil,
            source: .handsfreeButton,
            origin: origin,
            role: role
        )
        requests.call(ChannelInterface.beginTransmitting, request) { [weak self] result in
            switch result {
            case .success(let reply):
                then(.success(reply.transmissionID))
                // The end may have overtaken this answer on the other connection.
                if let ended = self?.lastEnded, ended.transmissionID == reply.transmissionID {
                    self?.handler(.transmissionEnded(ended.transmissionID, ended.cause))
                }
            case .failure(.refused(let refusal)): then(.failure(refusal))
            case .failure(let error): then(.failure(Refusal(.unknown, "\(error)")))
            }
        }
    }

    /// Requests the end of an origin's transmission, in this turn of the loop. Without a connection there is
    /// nothing to end: the core ended it with the connection. `role` is the only button that was released;
    /// nil for all.
    func end(_ origin: Origin, _ cause: EndCause, role: ButtonRole? = nil) {
        let request = ChannelInterface.EndRequest(channelID: nil, origin: origin, cause: cause, role: role)
        core.requests?.call(ChannelInterface.endTransmitting, request) { [log] result in
            // The core refuses this for a transmission that was refused or is over.
            if case .failure(let error) = result { log.debug("end of \(origin.name): \(error)") }
        }
    }

    /// Reports a tap that keeps the transmission of its button on, also the recording of its action, in this
    /// turn of the loop. Without a connection nothing is kept on.
    func latch(_ origin: Origin, role: ButtonRole) {
        let report = ChannelInterface.LatchReport(channelID: nil, origin: origin, role: role)
        core.requests?.call(ChannelInterface.reportLatch, report) { [log] result in
            // The core refuses this for a transmission that was refused or is over, and for other actions.
            if case .failure(let error) = result { log.debug("latch of \(origin.name): \(error)") }
        }
    }

    /// Reports a button that does not transmit, in this turn of the loop. `then` is called once, with the
    /// reason if the application is not notified. Without a connection no button is held: the core released
    /// it with the connection.
    func report(
        _ origin: Origin,
        role: ButtonRole,
        isPressed: Bool,
        then: @escaping @EventLoop (String?) -> Void
    ) {
        guard isConnected, let requests = core.requests else {
            then(isPressed ? suspension ?? "the core is not connected" : nil)
            return connectNow()
        }
        let report = ChannelInterface.ButtonReport(
            channelID: nil,
            origin: origin,
            role: role,
            isPressed: isPressed
        )
        requests.call(ChannelInterface.reportButton, report) { result in
            switch result {
            case .success: then(nil)
            case .failure(let error): then("\(error)")
            }
        }
    }

    /// Reports a low battery, if the core is connected.
    func reportBattery(_ origin: Origin, percent: Int) {
        guard isConnected, let requests = core.requests else { return }
        let report = ChannelInterface.BatteryReport(origin: origin, percent: percent)
        requests.call(ChannelInterface.reportBattery, report) { [log] result in
            if case .failure(let error) = result { log.debug("battery of \(origin.name): \(error)") }
        }
    }

    /// Ends every transmission of an accessory with the connection, and refuses all presses until
    /// ``resume()``. `reason` is for people.
    func suspend(_ reason: String) {
        suspension = reason
        let wasConnected = isConnected
        close()
        if wasConnected { handler(.lost(reason: reason)) }
    }

    /// Connects again. A button that is still held has to be pressed anew.
    func resume() {
        suspension = nil
        start()
    }

    private func connectNow() {
        if suspension == nil { core.connectNow() }
    }

    /// Ends the connection. Requests that were sent are still delivered.
    func close() { core.close() }

    private func logAbsence(_ reason: String) {
        guard !isAbsenceLogged else { return }
        isAbsenceLogged = true
        log.warning("\(reason). Presses have no effect until pttd is connected")
    }

    private func logWatchFailure(_ reason: String) {
        guard !isWatchFailureLogged else { return }
        isWatchFailureLogged = true
        log.warning("\(reason): trying to connect to pttd every few seconds while it is absent")
    }

    // MARK: - Events

    private func handle(_ update: ChannelInterface.Update) {
        if let status = update.status {
            lastStatus = status
            lastEnded = nil
            isAbsenceLogged = false
            log.info("the core is connected")
            handler(.connected)
            handler(.pressesChanged(areAccepted: acceptsPresses))
        }
        guard let event = update.event else { return }
        let before = (destination, acceptsPresses)
        lastStatus?.apply(event)
        if case .transmissionEnded(let ended, let cause, _) = event {
            lastEnded = (ended.transmissionID, cause)
            handler(.transmissionEnded(ended.transmissionID, cause))
        }
        if (destination, acceptsPresses) != before { handler(.pressesChanged(areAccepted: acceptsPresses)) }
    }
}
