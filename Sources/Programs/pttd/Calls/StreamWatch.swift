import EventLoop
import Journal
import PTTCore
import PulseAudio

/// Watches the streams of other applications on the sound server, and reports those that are calls, and those
/// that record.
///
/// Changes of our own streams are not followed by a list: a press costs none.
@EventLoop
final class StreamWatch {
    /// Called with each change of the applications that record from a microphone; there are none at first.
    var recordersChanged: @EventLoop ([String]) -> Void = { _ in }

    private let list: DeviceList
    private let report: @EventLoop (ActiveCalls.Event) -> Void
    private var observation: Subscription?
    private var use = StreamUse()

    /// - Parameters:
    ///   - server: Its changes of state must be passed on to ``serverIsReady()`` and ``serverIsLost()``.
    ///   - applications: The names of the applications whose recordings count as calls.
    ///   - log: For lists that fail.
    ///   - report: Called with the calls.
    init(
        _ server: AudioServer,
        callApplications applications: [String],
        log: RateLimitedLog,
        report: @escaping @EventLoop (ActiveCalls.Event) -> Void
    ) {
        self.report = report
        list = DeviceList(
            server,
            [.source, .sourceOutput, .sinkInput],
            // A call that begins within it ends a transmission that much later.
            spacing: .milliseconds(20),
            consequence: "calls of applications may not be detected",
            log: log
        )
        observation = server.observe([.sourceOutput, .sinkInput]) { [list] in list.streamChanged($0) }
        list.listed = { [weak self] in self?.apply(StreamUse($0, callApplications: applications)) }
    }

    func serverIsReady() { list.refresh() }

    /// The streams have ended with the server.
    func serverIsLost() {
        list.serverIsLost()
        apply(StreamUse())
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
        for call in calls { report(.present(source, call)) }
        report(.retained(source, prefix: "", ids: Set(calls.map(\.id))))
    }
}
