import CoreConfiguration
import EventLoop
import Journal
import Logging
import PulseAudio

/// Carries out what ``DuckedStreams`` orders, and keeps its changes in a file of the state directory.
@EventLoop
final class Ducking {
    /// For the server to restore the volumes on exit.
    private static let stopLimit = Duration.milliseconds(500)

    private let server: AudioServer
    private let file: ChangeFile<DuckedStreams.Change>
    private let log: RateLimitedLog
    private var streams: DuckedStreams
    /// Only while there is something to change or to restore: whoever plays causes no wake-ups here
    /// otherwise.
    private var observation: Observation?
    private var inbox: [DuckedStreams.Event] = []
    private var isHandling = false
    private var isListing = false
    private var isListOutdated = false
    private var orders = 0
    private var stopped: (@EventLoop () -> Void)?
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }
    private lazy var stopTimer = TimerSource { [weak self] in self?.finish() }

    /// Nil if nothing is to be changed, or restored.
    ///
    /// - Parameters:
    ///   - mode: That of the configuration.
    ///   - server: Its changes of state must be passed on to ``serverIsReady()`` and ``serverIsLost()``.
    ///   - directory: The state directory; nil: a change cannot be written down, and none is made.
    ///   - log: For files and volumes that cannot be changed.
    init?(_ mode: DuckingMode, server: AudioServer, directory: String?, log: RateLimitedLog) {
        self.server = server
        self.log = log
        let consequence = "what other programs play stays as loud as it is"
        file = ChangeFile("ducking.json", in: directory, consequence: consequence, log: log)
        let undone = file.read()
        guard mode != .off || !undone.isEmpty else { return nil }
        streams = DuckedStreams(mode, undone: undone)
        file.saved = { [weak self] in self?.handle(.saved($0)) }
    }

    /// The microphone opens.
    func begin() {
        handle(.microphoneOpened)
        if streams.isActive { list() }
    }

    /// The microphone is closed. Further calls do nothing.
    func end() { handle(.microphoneClosed) }

    func serverIsReady() {
        if streams.isActive { list() }
    }

    func serverIsLost() {
        (isListing, isListOutdated) = (false, false)
        handle(.serverLost)
    }

    /// Restores every volume, and calls `then` once.
    func stop(then: @escaping @EventLoop () -> Void) {
        stopped = then
        stopTimer.arm(after: Self.stopLimit)
        end()
        if orders == 0 { finish() }
    }

    private func finish() {
        stopTimer.disarm()
        let then = stopped
        stopped = nil
        then?()
    }

    private func handle(_ event: DuckedStreams.Event) {
        inbox.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !inbox.isEmpty {
            for effect in streams.handle(inbox.removeFirst(), at: .now) { perform(effect) }
        }
        isHandling = false
        if !streams.isActive {
            observation = nil
        } else if observation == nil {
            observation = server.observe([.sinkInput]) { [weak self] _ in self?.list() }
        }
    }

    private func perform(_ effect: DuckedStreams.Effect) {
        switch effect {
        case .save(let changes): file.write(changes)
        case .setVolumes(let volumes, let input):
            orders += 1
            server.setVolumes(volumes, ofInput: input) { [weak self] in self?.ordered($0) }
        case .setMuted(let isMuted, let input):
            orders += 1
            server.setMuted(isMuted, ofInput: input) { [weak self] in self?.ordered($0) }
        case .list: list()
        case .setTimer(let time): timer.arm(at: time)
        }
    }

    private func ordered(_ result: Result<Void, AudioError>) {
        orders -= 1
        // A stream that has just ended is refused, and a lost server is reported elsewhere.
        if case .failure(let error) = result { log.log(level: .debug, "\(error)") }
        if orders == 0, stopped != nil { finish() }
    }

    private func list() {
        guard !isListing else {
            isListOutdated = true
            return
        }
        (isListing, isListOutdated) = (true, false)
        server.list([.sink, .sinkInput]) { [weak self] in self?.received($0) }
    }

    private func received(_ result: Result<AudioDevices, AudioError>) {
        isListing = false
        switch result {
        case .success(let devices): handle(.listed(devices))
        case .failure(let error) where error.kind == .serverLost: return
        case .failure(let error):
            log.log(level: .notice, "what other programs play may stay as loud as it is: \(error)")
        }
        if isListOutdated, streams.isActive { list() }
    }
}
