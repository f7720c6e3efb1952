import EventLoop
import Journal
import PulseAudio

/// Watches a microphone that was muted, or whose volume was 0, when it was closed: a person who is shown that
/// sees to it, and may not press again for long.
@EventLoop
final class DeafMicrophone {
    /// Called with the state of the microphone after each change, the last time when it is heard again.
    var changed: @EventLoop (SourceState) -> Void = { _ in }

    private let list: DeviceList
    /// Nil while none is watched.
    private var microphone: SourceState? {
        didSet { list.isWanted = microphone != nil }
    }

    init(server: AudioServer, log: RateLimitedLog) {
        let kinds: Set<DeviceKind> = [.source, .sourceOutput]
        let consequence = "a microphone may be shown as muted that is not"
        list = DeviceList(server, kinds, observing: [.source], consequence: consequence, log: log)
        list.listed = { [weak self] in self?.update($0) }
    }

    func watch(_ microphone: SourceState) {
        self.microphone = microphone
        list.refresh()
    }

    func stop() { microphone = nil }

    /// Changes while there was no server were not reported.
    func serverIsReady() { list.refresh() }

    private func update(_ devices: AudioDevices) {
        guard let before = microphone, let state = devices.state(ofSource: before.name), state != before
        else { return }
        microphone = state.isDeaf ? state : nil
        changed(state)
    }
}
