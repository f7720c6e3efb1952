import DBus
import EventLoop
import Journal
import Logging
import PTTCore
import PTTMessages
import PulseAudio

/// Watches all that reports calls: ModemManager and oFono on the system bus, callaudiod on the session bus,
/// and the streams of other applications on the sound server, of which it also reports those that record.
///
/// Changes of our own streams are not followed by a list: a press costs none.
@EventLoop
final class CallWatch {
    /// Called with each change of the call that counts; nil: there is none any more. There is none at first.
    var changed: @EventLoop (ActiveCall?) -> Void = { _ in }

    /// Called with each change of the applications that record from a microphone; there are none at first.
    var recordersChanged: @EventLoop ([String]) -> Void = { _ in }

    /// Called once for each connection to the sound server: the calls of all sources are known. What fails to
    /// answer in time has none.
    var known: @EventLoop () -> Void = {}
    var areKnown: Bool { hasServerAnswered && unanswered.isEmpty }
    private var hasServerAnswered = false
    /// The names of the services on the buses of which nothing is known yet.
    private var unanswered: Set<String>
    private lazy var answerLimit = TimerSource { [weak self] in self?.answered(by: self?.unanswered ?? []) }

    private var calls = ActiveCalls()
    private var buses: [Bus] = []
    private let streams: DeviceList
    private var use = StreamUse()

    /// - Parameters:
    ///   - server: Its changes of state must be passed on to ``serverIsReady()`` and ``serverIsLost()``.
    ///   - applications: The names of the applications whose recordings count as calls.
    ///   - system: The system bus.
    ///   - session: The session bus.
    ///   - log: For failures of what reports calls.
    init(
        server: AudioServer,
        callApplications applications: [String] = [],
        system: BusAddress = .system,
        session: BusAddress = .session,
        log: RateLimitedLog
    ) {
        streams = DeviceList(
            server,
            [.source, .sourceOutput, .sinkInput],
            observing: [.sourceOutput, .sinkInput],
            ignoresOwnStreams: true,
            // A call that begins within it ends a transmission that much later.
            spacing: .milliseconds(20),
            consequence: "calls of applications may not be detected",
            log: log
        )
        unanswered = []
        let report: @EventLoop (ActiveCalls.Event) -> Void = { [weak self] in self?.handle($0) }
        let modems: [CallService] = [
            ModemManagerCalls(log: log, report: report), OFonoCalls(log: log, report: report),
        ]
        let callaudiod = CallaudiodMode(log: log, report: report)
        for service in modems + [callaudiod] {
            unanswered.insert(service.name)
            service.answered = { [weak self, name = service.name] in self?.answered(by: [name]) }
        }
        answerLimit.arm(after: .seconds(5))
        buses = [Self.bus(system, with: modems, log), Self.bus(session, with: [callaudiod], log)]
        streams.listed = { [weak self] in
            self?.apply(StreamUse($0, callApplications: applications))
            self?.serverAnswered()
        }
        streams.failed = { [weak self] in self?.serverAnswered() }
        streams.isWanted = true
    }

    private static func bus(
        _ address: BusAddress,
        with services: [CallService],
        _ log: RateLimitedLog
    ) -> Bus {
        Bus(address) { event in
            switch event {
            case .connected(let connection):
                for service in services { service.connect(to: connection) }
            case .disconnected(let error):
                log.log(level: .notice, "no calls are detected on \(address): \(error)")
                for service in services { service.disconnect() }
            }
        }
    }

    func serverIsReady() { streams.refresh() }

    /// The streams have ended with the server.
    func serverIsLost() {
        hasServerAnswered = false
        streams.serverIsLost()
        apply(StreamUse())
    }

    private func serverAnswered() {
        guard !hasServerAnswered else { return }
        hasServerAnswered = true
        if areKnown { known() }
    }

    private func answered(by services: Set<String>) {
        guard !unanswered.isEmpty else { return }
        unanswered.subtract(services)
        if unanswered.isEmpty { answerLimit.disarm() }
        if areKnown { known() }
    }

    private func handle(_ event: ActiveCalls.Event) {
        let before = calls.active
        calls.handle(event)
        if calls.active != before { changed(calls.active) }
    }

    private func apply(_ new: StreamUse) {
        guard new != use else { return }
        let old = use
        use = new
        report(new.phoneStreams, in: .phoneStream)
        report(new.callApplications, in: .callApplication)
        if new.recorders != old.recorders { recordersChanged(new.recorders) }
    }

    /// The new calls first: between the end of one and the next there is no moment without a call.
    private func report(_ calls: [ActiveCalls.Call], in source: ActiveCalls.Source) {
        for call in calls { handle(.present(source, call)) }
        handle(.retained(source, prefix: "", ids: Set(calls.map(\.id))))
    }
}
