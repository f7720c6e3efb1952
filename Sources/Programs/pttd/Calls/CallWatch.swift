import DBus
import EventLoop
import Journal
import PTTCore
import PTTMessages

/// Watches all that reports calls: ModemManager and oFono on the system bus, callaudiod on the session bus.
@EventLoop
final class CallWatch {
    /// Called with each change of the call that counts; nil: there is none any more. There is none at first.
    var changed: @EventLoop (ActiveCall?) -> Void = { _ in }

    private var calls = ActiveCalls()
    private var buses: [CallBus] = []
    private var sources: [AnyObject] = []

    init(system: BusAddress = .system, session: BusAddress = .session, log: RateLimitedLog) {
        let report: @EventLoop (ActiveCalls.Event) -> Void = { [weak self] in self?.handle($0) }
        let modemManager = ModemManagerCalls(log: log, report: report)
        let oFono = OFonoCalls(log: log, report: report)
        let callaudiod = CallaudiodMode(log: log, report: report)
        sources = [modemManager, oFono, callaudiod]
        buses = [
            CallBus(system, [modemManager.service, oFono.service], log: log) {
                report(.lost(.modemManager))
                report(.lost(.oFono))
            },
            CallBus(session, [callaudiod.service], log: log) { report(.lost(.callaudiod)) },
        ]
    }

    private func handle(_ event: ActiveCalls.Event) {
        let before = calls.active
        calls.handle(event)
        if calls.active != before { changed(calls.active) }
    }
}
