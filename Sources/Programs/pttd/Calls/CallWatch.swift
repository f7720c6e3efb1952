import DBus
import EventLoop
import Journal
import PTTCore
import PTTMessages
import PulseAudio

/// Watches all that reports calls: ModemManager and oFono on the system bus, callaudiod on the session bus,
/// and the streams of other applications on the sound server.
@EventLoop
final class CallWatch {
    /// Called with each change of the call that counts; nil: there is none any more. There is none at first.
    var changed: @EventLoop (ActiveCall?) -> Void = { _ in }

    /// Called with each change of the applications that record from a microphone; there are none at first.
    var recordersChanged: @EventLoop ([String]) -> Void = { _ in }

    private var calls = ActiveCalls()
    private var buses: [CallBus] = []
    private var streams: StreamWatch?

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
        let report: @EventLoop (ActiveCalls.Event) -> Void = { [weak self] in self?.handle($0) }
        let modems: [CallService] = [
            ModemManagerCalls(log: log, report: report), OFonoCalls(log: log, report: report),
        ]
        let callaudiod = CallaudiodMode(log: log, report: report)
        buses = [CallBus(system, modems, log: log), CallBus(session, [callaudiod], log: log)]
        let streams = StreamWatch(server, callApplications: applications, log: log, report: report)
        streams.recordersChanged = { [weak self] in self?.recordersChanged($0) }
        self.streams = streams
    }

    func serverIsReady() { streams?.serverIsReady() }

    func serverIsLost() { streams?.serverIsLost() }

    private func handle(_ event: ActiveCalls.Event) {
        let before = calls.active
        calls.handle(event)
        if calls.active != before { changed(calls.active) }
    }
}
