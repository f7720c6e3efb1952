import EventLoop
import Journal
import Logging
import PTTCore
import PulseAudio

/// Watches the streams of other applications on the sound server, and reports those that are calls, and those
/// that record.
///
/// After a change it lists all streams, at most every ``spacing``: whatever an application does to its
/// streams costs no more, and a list cannot miss a change. Changes of our own streams are not followed by a
/// list: a press costs none.
@EventLoop
final class StreamWatch {
    /// Called with each change of the applications that record from a microphone; there are none at first.
    var recordersChanged: @EventLoop ([String]) -> Void = { _ in }

    private let server: AudioServer
    private let applications: [String]
    private let log: RateLimitedLog
    private let report: @EventLoop (ActiveCalls.Event) -> Void
    private var observation: Observation?
    private var use = StreamUse()
    private var isListing = false
    private var isListOutdated = false
    private var earliestList = MonotonicInstant(nanoseconds: 0)
    private lazy var streams = ForeignStreams(server) { [weak self] in self?.listSoon() }
    private lazy var listing = TimerSource { [weak self] in self?.listSoon() }
    /// After lists that failed.
    private var backOff = BackOff(first: .seconds(1), limit: .seconds(300))

    /// A call that begins within it ends a transmission that much later.
    private static let spacing = Duration.milliseconds(20)

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
        self.server = server
        self.applications = applications
        self.log = log
        self.report = report
        observation = server.observe([.sourceOutput, .sinkInput]) { [weak self] in self?.streams.handle($0) }
    }

    func serverIsReady() { listSoon() }

    /// The streams have ended with the server.
    func serverIsLost() {
        listing.disarm()
        (isListing, isListOutdated) = (false, false)
        backOff.reset()
        streams.reset()
        apply(StreamUse())
    }

    private func listSoon() {
        isListOutdated = true
        guard !isListing else { return }
        if MonotonicInstant.now < earliestList { listing.arm(at: earliestList) } else { list() }
    }

    private func list() {
        (isListing, isListOutdated) = (true, false)
        listing.disarm()
        streams.listBegins()
        server.list([.source, .sourceOutput, .sinkInput]) { [weak self] in self?.received($0) }
    }

    private func received(_ result: Result<AudioDevices, AudioError>) {
        isListing = false
        earliestList = .now + Self.spacing
        switch result {
        case .success(let devices):
            backOff.reset()
            streams.update(devices)
            apply(StreamUse(devices, callApplications: applications))
        case .failure(let error) where error.kind == .serverLost:
            return
        case .failure(let error):
            streams.listFailed()
            // What was known stays in force until the next list.
            listing.arm(after: backOff.next())
            log.log(level: .notice, "calls of applications may not be detected: \(error)")
        }
        if isListOutdated { listSoon() }
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
