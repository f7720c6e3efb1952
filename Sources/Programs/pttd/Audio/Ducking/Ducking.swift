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

    /// Wanted only while there is something to change or to restore: whoever plays causes no wake-ups here
    /// otherwise.
    private let list: DeviceList
    private let file: ChangeFile<DuckedStreams.Change>
    private let log: RateLimitedLog
    private var streams: DuckedStreams
    private var inbox: [DuckedStreams.Event] = []
    private var isHandling = false
    private let changes: PendingChanges
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }

    /// Nil if nothing is to be changed, or restored.
    ///
    /// - Parameters:
    ///   - mode: The configured mode.
    ///   - server: Its changes of state must be passed on to ``serverIsReady()`` and ``serverIsLost()``.
    ///   - directory: The state directory; nil: a change cannot be written down, and none is made.
    ///   - log: For files and volumes that cannot be changed.
    init?(_ mode: DuckingMode, server: AudioServer, directory: String?, log: RateLimitedLog) {
        changes = PendingChanges(on: server)
        self.log = log
        let consequence = "what other programs play may stay as loud as it is"
        file = ChangeFile("ducking.json", in: directory, consequence: consequence, log: log)
        let undone = file.read()
        guard mode != .off || !undone.isEmpty else { return nil }
        streams = DuckedStreams(mode, undone: undone)
        let kinds: Set<DeviceKind> = [.sink, .sinkInput]
        list = DeviceList(server, kinds, observing: [.sinkInput], consequence: consequence, log: log)
        file.saved = { [weak self] in self?.handle(.saved($0)) }
        list.listed = { [weak self] in self?.handle(.listed($0)) }
        list.isWanted = streams.isActive
    }

    /// The microphone opens.
    func begin() {
        handle(.microphoneOpened)
        list.refresh()
    }

    /// The microphone is closed. Further calls do nothing.
    func end() { handle(.microphoneClosed) }

    func serverIsReady() { list.refresh() }

    func serverIsLost() {
        list.serverIsLost()
        handle(.serverLost)
    }

    /// Restores every volume, and calls `then` once.
    func stop(then: @escaping @EventLoop () -> Void) {
        end()
        changes.whenDone(within: Self.stopLimit, then)
    }

    private func handle(_ event: DuckedStreams.Event) {
        inbox.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !inbox.isEmpty {
            for effect in streams.handle(inbox.removeFirst(), at: .now) { perform(effect) }
        }
        isHandling = false
        list.isWanted = streams.isActive
    }

    private func perform(_ effect: DuckedStreams.Effect) {
        switch effect {
        case .save(let changes): file.write(changes)
        case .setVolumes(let volumes, let input):
            order("change the volume of a stream", .setVolume(volumes, input: input))
        case .setMuted(let isMuted, let input):
            order("mute or unmute a stream", .muteInput(input, isMuted))
        case .list: list.refresh()
        case .setTimer(let time): timer.arm(at: time)
        }
    }

    private func order(_ action: String, _ change: DeviceChange) {
        // A stream that has just ended is refused, and a lost server is reported elsewhere.
        changes.order(action, change) { [log] in log.log(level: .debug, "\($0)") }
    }
}
