import EventLoop
import Journal
import Logging
import PulseAudio

/// A list of what the sound server has, kept up to date.
///
/// It is asked for again after a change, and with growing delays after the server has not answered: what was
/// known stays in force until then. One is asked for at a time: whatever other programs do costs no more, and
/// a list cannot miss a change.
@EventLoop
final class DeviceList {
    /// Called with each list.
    var listed: @EventLoop (AudioDevices) -> Void = { _ in }
    /// Called when a server that is still there has refused a list, or not answered, each time that it does.
    var failed: @EventLoop () -> Void = {}
    /// While it is false no change is followed by a list, nothing is asked for, and nothing wakes. What has
    /// been asked for is still listed.
    var isWanted = false {
        didSet {
            guard isWanted != oldValue else { return }
            observation = isWanted ? server.observe(observed) { [weak self] in self?.changed($0) } : nil
            if !isWanted { timer.disarm() }
        }
    }

    private let server: AudioServer
    private let kinds: Set<DeviceKind>
    private let observed: Set<DeviceKind>
    private let ignoresOwnStreams: Bool
    private let spacing: Duration
    private let consequence: String
    private let log: RateLimitedLog
    private var observation: Subscription?
    private var isListing = false
    private var isOutdated = false
    private var earliest = MonotonicInstant(nanoseconds: 0)
    private var backOff = BackOff(first: .seconds(1), limit: .seconds(300))
    private lazy var streams = ForeignStreams(server) { [weak self] in self?.refresh() }
    private lazy var timer = TimerSource { [weak self] in self?.refresh() }

    /// `observed` are the kinds whose changes are followed by a list, by default all that are listed; changes
    /// of our own streams are not with `ignoresOwnStreams`. `spacing` is the least time from a list to the
    /// next one; `consequence` is a sentence for the log, of a list that fails.
    init(
        _ server: AudioServer,
        _ kinds: Set<DeviceKind>,
        observing observed: Set<DeviceKind>? = nil,
        ignoresOwnStreams: Bool = false,
        spacing: Duration = .zero,
        consequence: String,
        log: RateLimitedLog
    ) {
        (self.server, self.kinds, self.observed) = (server, kinds, observed ?? kinds)
        (self.ignoresOwnStreams, self.spacing) = (ignoresOwnStreams, spacing)
        (self.consequence, self.log) = (consequence, log)
    }

    /// Asks for a list, now or after the one that is being made: the server is ready, for example.
    func refresh() {
        isOutdated = true
        guard isWanted, !isListing else { return }
        if MonotonicInstant.now < earliest { timer.arm(at: earliest) } else { list() }
    }

    private func changed(_ event: SoundDeviceEvent) {
        if ignoresOwnStreams { streams.handle(event) } else { refresh() }
    }

    func serverIsLost() {
        timer.disarm()
        (isListing, isOutdated) = (false, false)
        backOff.reset()
        streams.reset()
    }

    private func list() {
        (isListing, isOutdated) = (true, false)
        timer.disarm()
        streams.listBegins()
        server.list(kinds) { [weak self] in self?.received($0) }
    }

    private func received(_ result: Result<AudioDevices, AudioError>) {
        isListing = false
        // A change may be reported while the server is not ready: the list that follows then is not held up.
        if case .failure(let error) = result, error.kind == .serverLost { return }
        earliest = .now + spacing
        switch result {
        case .success(let devices):
            backOff.reset()
            streams.update(devices)
            listed(devices)
        case .failure(let error):
            if isWanted { timer.arm(after: backOff.next()) }
            log.log(level: .notice, "\(consequence): \(error)")
            failed()
        }
        if isOutdated { refresh() }
    }
}
