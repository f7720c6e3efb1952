import EventLoop
import Journal
import Logging
import PTTMessages
import PulseAudio

/// The one playback stream, open while a remote participant is set.
@EventLoop
final class Speaker {
    /// The amount of the application's audio that may wait here, in addition to the server's buffer. It is
    /// dropped when the reception ends.
    private static let queue = Duration.milliseconds(100)
    /// The server's buffer.
    private static let latency = Duration.milliseconds(40)
    /// The time between two lists.
    private static let spacing = Duration.milliseconds(500)

    private let server: AudioServer
    private let log: RateLimitedLog
    private var stream: PlaybackStream?
    /// In bytes.
    private var queueLimit = 0

    /// The volume at which samples are played, in percent, on the scale of volume controls. It changes the
    /// samples, not the volume of the stream: servers remember that for all streams of a role, and some raise
    /// the whole speaker with it.
    var volume = 100 {
        didSet { gain = Gain(percent: volume) }
    }
    private var gain = Gain(percent: 100)
    private var scaled: [Int16] = []

    /// Called when there is room again after ``play(_:)`` had returned false.
    var roomAvailable: @EventLoop () -> Void = {}
    /// Called once when there is a default speaker again after there was none, unless one is opened before.
    /// Where it cannot be opened, later each time.
    var returned: @EventLoop () -> Void = {}
    /// Wanted while there is no speaker.
    private let list: DeviceList
    /// The speaker that was reported last, and when it is reported again if it cannot be opened. Nil once
    /// one is open, or none is there.
    private var reported: (name: String, again: MonotonicInstant)?
    private var backOff = BackOff(first: Speaker.spacing, limit: .seconds(60))
    private lazy var retry = TimerSource { [list] in list.refresh() }
    /// Called with the audio server's name of the device once it is open, and when the server has changed the
    /// device.
    var opened: @EventLoop (String) -> Void = { _ in }

    init(server: AudioServer, log: RateLimitedLog) {
        self.server = server
        self.log = log
        list = DeviceList(
            server,
            [.server, .sink],
            spacing: Self.spacing,
            consequence: "a speaker that has returned may not be noticed",
            log: log
        )
        list.listed = { [weak self] in self?.lookForSpeaker(in: $0) }
    }

    /// Opens the speaker and closes any earlier playback.
    ///
    /// - Parameters:
    ///   - format: The format of the samples.
    ///   - started: Called once, when samples will be played.
    ///   - failed: Called at most once, possibly during this call, with the interruption and its reason; the
    ///     playback has ended by then. A speaker that cannot be opened fails within five seconds.
    func open(
        _ format: AudioFormat,
        started: @escaping @EventLoop () -> Void,
        failed: @escaping @EventLoop (Interruption, String) -> Void
    ) {
        close()
        stopLooking()
        do throws(AudioError) {
            let played = SampleSpec(rate: format.rate, channels: format.channels)
            queueLimit = played.byteCount(of: Self.queue)
            let request = StreamRequest(
                name: "Push to talk",
                format: played,
                // While somebody is heard, PulseAudio quietens music by its own rules.
                role: "phone",
                latency: Self.latency,
                avoidedDevice: VirtualMicrophoneDevice.feedName
            )
            stream = try PlaybackStream(on: server, request) { [weak self] event in
                self?.handle(event, started: started, failed: failed)
            }
        } catch {
            fail(error, failed)
        }
    }

    /// Ends the playback immediately.
    func close() {
        stream?.close()
        stream = nil
        roomAvailable()
    }

    /// Plays samples after all earlier ones; without an open playback they are dropped.
    ///
    /// - Returns: True if there is room for more.
    func play(_ samples: UnsafeRawBufferPointer) -> Bool {
        guard let stream else { return true }
        // Samples beyond two seconds are dropped, which a caller that respects the result never reaches.
        gain.apply(to: samples, into: &scaled)
        _ = scaled.withUnsafeBytes { stream.write($0) }
        return stream.pendingByteCount < queueLimit
    }

    private func handle(
        _ event: PlaybackStream.Event,
        started: @EventLoop () -> Void,
        failed: @EventLoop (Interruption, String) -> Void
    ) {
        switch event {
        case .opened:
            reported = nil
            stream?.deviceName.map(opened)
            started()
            reportRoom()
        case .writable:
            reportRoom()
        case .moved(let deviceName):
            log.log(level: .notice, "the audio server changed the speaker to \(deviceName)")
            opened(deviceName)
        case .failed(let error):
            fail(error, failed)
        case .started, .underflowed:
            break
        }
    }

    private func fail(_ error: AudioError, _ failed: @EventLoop (Interruption, String) -> Void) {
        log.log(level: .error, "\(error)")
        close()
        switch error.kind {
        case .serverLost: failed(.audioServerLost, "\(error)")
        case .noDevice, .deviceRemoved:
            list.isWanted = true
            // It may be back already, and then no change is reported.
            list.refresh()
            failed(.speakerLost, "\(error)")
        // It would fail again: there is a speaker.
        case .other: failed(.speakerLost, "\(error)")
        }
    }

    private func lookForSpeaker(in devices: AudioDevices) {
        guard list.isWanted else { return }
        guard let speaker = devices.sinks.first(where: { $0.name == devices.defaultSink && !$0.isOwn }) else {
            reported = nil
            return
        }
        if let reported, reported.name == speaker.name {
            guard .now >= reported.again else { return retry.arm(at: reported.again) }
        } else {
            backOff.reset()
        }
        reported = (speaker.name, MonotonicInstant.now + backOff.next())
        stopLooking()
        returned()
    }

    private func stopLooking() {
        list.isWanted = false
        retry.disarm()
    }

    private func reportRoom() {
        if let stream, stream.pendingByteCount < queueLimit { roomAvailable() }
    }
}
