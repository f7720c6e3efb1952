import EventLoop
import Journal
import Logging
import PTTCore
import PulseAudio

/// Watches the streams of other applications on the sound server, and reports those that are calls, and those that record.
///
/// After a change it lists all streams, at most every ``spacing``: whatever an application does to its streams costs no
/// more, and a list cannot miss a change. Changes of our own streams are not followed by a list: a press costs none.
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
    /// The streams of others in the last list.
    private var listed: Set<Stream> = []
    private var isListing = false
    private var isListOutdated = false
    private var earliestList = MonotonicInstant(nanoseconds: 0)
    /// Streams that may turn out to be our own, as soon as the one that is being opened is confirmed.
    private var doubtful: Set<Stream> = []
    private lazy var listing = TimerSource { [weak self] in self?.listIfDue() }

    private struct Stream: Hashable {
        let kind: DeviceKind
        let index: UInt32
    }

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
        observation = server.observe([.sourceOutput, .sinkInput]) { [weak self] kind, index, isRemoved in
            self?.changed(Stream(kind: kind, index: index), isRemoved: isRemoved)
        }
    }

    func serverIsReady() { listSoon() }

    /// The streams have ended with the server.
    func serverIsLost() {
        listing.disarm()
        (isListing, isListOutdated, listed, doubtful) = (false, false, [], [])
        apply(StreamUse())
    }

    private func changed(_ stream: Stream, isRemoved: Bool) {
        if isRemoved {
            doubtful.remove(stream)
            if listed.contains(stream) { listSoon() }
        } else if server.ownsStream(stream.kind, stream.index) {
            return
        } else if server.isOpeningStream {
            // PipeWire reports a new stream before it confirms it to the client that has requested it.
            if doubtful.isEmpty { listing.arm(after: Self.spacing) }
            doubtful.insert(stream)
        } else {
            listSoon()
        }
    }

    private func listSoon() {
        isListOutdated = true
        guard !isListing else { return }
        if MonotonicInstant.now < earliestList { listing.arm(at: earliestList) } else { list() }
    }

    private func listIfDue() {
        let others = doubtful.contains { !server.ownsStream($0.kind, $0.index) }
        doubtful = []
        if isListOutdated || others { listSoon() }
    }

    private func list() {
        (isListing, isListOutdated) = (true, false)
        server.list([.source, .sourceOutput, .sinkInput]) { [weak self] in self?.received($0) }
    }

    private func received(_ result: Result<AudioDevices, AudioError>) {
        isListing = false
        earliestList = .now + Self.spacing
        switch result {
        case .success(let devices):
            let recordings = devices.sourceOutputs.filter { !$0.isOwn }
            let playbacks = devices.sinkInputs.filter { !$0.isOwn }
            listed = Set(
                recordings.map { Stream(kind: .sourceOutput, index: $0.index) }
                    + playbacks.map { Stream(kind: .sinkInput, index: $0.index) }
            )
            apply(StreamUse(devices, callApplications: applications))
        case .failure(let error) where error.kind == .serverLost:
            return
        case .failure(let error):
            // What was known stays in force until the next change.
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
