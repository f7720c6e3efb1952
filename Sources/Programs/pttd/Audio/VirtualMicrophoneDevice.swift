import CoreConfiguration
import EventLoop
import Journal
import Logging
import PTTMessages
import PulseAudio

/// The Push-to-Talk Microphone in the audio server: what is written reaches the applications that record from
/// it.
@EventLoop
final class VirtualMicrophoneDevice {
    /// The length of what is written at once. A packet of an application, four times as long, would be that
    /// much later. 256 samples are the shortest period of pipewire-pulse.
    static let packetDuration = Duration.nanoseconds(5_333_334)

    /// The property of the devices and streams that are the core's own.
    static let mark = Configuration.ownDeviceProperty

    /// The server's name of the sink whose sound the source delivers. Nothing else may be played on it.
    static let feedName = "ptt_feed"

    private static let definition = VirtualSourceDefinition(
        sourceName: "ptt_mic",
        sourceDescription: "Push-to-Talk Microphone",
        feedName: feedName,
        feedDescription: "Push-to-Talk feed",
        mark: mark,
        removal: "pttctl microphone remove"
    )

    private let source: VirtualSource
    private let log: RateLimitedLog
    /// True if there is to be one.
    private var isWanted: Bool
    /// Without one, what an earlier core has left is looked for once.
    private var isCleared = false

    /// Called after each change, the first time when it is made or cannot be.
    var changed: @EventLoop (VirtualMicrophone) -> Void = { _ in }

    /// - Parameters:
    ///   - server: Connected by the caller.
    ///   - isWanted: False if the configuration wants none.
    ///   - log: For messages about what others have changed of it.
    init(server: AudioServer, isWanted: Bool, log: RateLimitedLog) {
        source = VirtualSource(on: server, Self.definition)
        self.isWanted = isWanted
        self.log = log
        source.changed = { [weak self] in self?.update($0) }
        source.remarked = { log.log(level: .notice, "the virtual microphone: \($0)") }
    }

    /// As the server listed them last.
    var unheardDevices: [UnheardDevice] {
        source.devices.sources.filter { $0.isOwn && !$0.isMonitor && ($0.isMuted || $0.isSilent) }
            .map { UnheardDevice(name: $0.name, isMuted: $0.isMuted) }
            + source.devices.sinks.filter { $0.isOwn && $0.isSilent }
            .map { UnheardDevice(name: $0.name, isFeed: true) }
    }

    func start() {
        if isWanted { source.start() }
    }

    /// Call it after each change of the audio server's state.
    func serverChanged(isReady: Bool) {
        source.serverChanged()
        guard !isWanted, isReady, !isCleared else { return }
        isCleared = true
        source.remove { [log] result in
            if case .failure(let failure) = result {
                log.log(level: .notice, "the Push-to-Talk Microphone stays: \(failure.text)")
            }
        }
    }

    /// Lets what is written be heard from now on.
    func begin() { source.begin() }

    /// - Parameter samples: In ``AudioFormat/standard``.
    func write(_ samples: UnsafeRawBufferPointer) { source.write(samples) }

    /// Silence from now on. Further calls do nothing.
    func end() { source.end() }

    /// Calls `completion` once the server has confirmed the silence, or has failed to.
    func whenSilent(_ completion: @escaping @EventLoop () -> Void) { source.whenSilent(completion) }

    /// Removes it from the audio server, until the core starts again.
    ///
    /// - Parameter reply: Called once, with the reason if it stays.
    func remove(_ reply: @escaping @EventLoop (Refusal?) -> Void) {
        source.remove { [weak self] result in
            guard case .failure(let failure) = result else {
                self?.isWanted = false
                self?.changed(.off)
                return reply(nil)
            }
            reply(Refusal(.unknown, "the Push-to-Talk Microphone stays: \(failure.text)"))
        }
    }

    private func update(_ state: VirtualSource.State) {
        guard isWanted else { return }
        switch state {
        case .unavailable(let reason): changed(.unavailable(reason: reason))
        case .idle: changed(.idle)
        case .recorded(let names):
            changed(.recorded(by: Array(names.prefix(VirtualMicrophone.longestList))))
        }
    }
}

extension VirtualSource.RemovalFailure {
    fileprivate var text: String {
        switch self {
        case .recorded(let names):
            "\(names.joined(separator: ", ")) would record the real microphone in its place; end that first"
        case .configured:
            "PipeWire makes it; delete 50-push-to-talk.conf from its configuration and start it again"
        case .refused(let error): "\(error)"
        }
    }
}
