import EventLoop
import Journal
import Logging
import PTTMessages
import PulseAudio

/// The one playback stream, open while a remote participant is set.
@EventLoop
final class Speaker {
    /// How much of what the application writes may wait here, beside what the server holds. It is lost when the
    /// participant goes.
    private static let queue = Duration.milliseconds(100)
    /// What the server holds ahead.
    private static let latency = Duration.milliseconds(40)

    private let server: AudioServer
    private let log: RateLimitedLog
    private var stream: PlaybackStream?
    private var bound = 0

    /// Called when there is room again after ``play(_:)`` had none.
    var hasRoomAgain: @EventLoop () -> Void = {}
    /// Called with the audio server's name of the device when it is open, and when the server changed it.
    var opened: @EventLoop (String) -> Void = { _ in }

    init(server: AudioServer, log: RateLimitedLog) {
        self.server = server
        self.log = log
    }

    /// Opens the speaker. Any earlier playback ends.
    ///
    /// - Parameters:
    ///   - format: What will be played.
    ///   - started: Called once, when what is written is going to be heard.
    ///   - failed: Called at most once, also from within this call, with what was lost and why; the playback has ended by
    ///     then. That a speaker cannot be opened is known after five seconds at the latest.
    func open(
        _ format: AudioFormat,
        started: @escaping @EventLoop () -> Void,
        failed: @escaping @EventLoop (Interruption, String) -> Void
    ) {
        close()
        do throws(AudioError) {
            let played = try SampleSpec(rate: format.rate, channels: format.channels)
            bound = played.byteCount(of: Self.queue)
            let request = StreamRequest(
                name: "Push to talk",
                format: played,
                role: "phone",
                latency: Self.latency
            )
            stream = try PlaybackStream(on: server, request) { [weak self] event in
                self?.handle(event, started, failed)
            }
        } catch {
            fail(error, failed)
        }
    }

    /// Ends the playback at once.
    func close() {
        stream?.close()
        stream = nil
        hasRoomAgain()
    }

    /// Plays after all earlier samples; without an open playback they are dropped.
    ///
    /// - Returns: Whether there is room for more.
    func play(_ samples: UnsafeRawBufferPointer) -> Bool {
        guard let stream else { return true }
        // What exceeds two seconds is dropped; who heeds the answer never gets there.
        _ = stream.write(samples)
        return stream.pendingByteCount < bound
    }

    private func handle(
        _ event: PlaybackStream.Event,
        _ started: @EventLoop () -> Void,
        _ failed: @EventLoop (Interruption, String) -> Void
    ) {
        switch event {
        case .opened:
            stream?.deviceName.map(opened)
            started()
            offerRoom()
        case .writable:
            offerRoom()
        case .moved(let deviceName):
            log.log(level: .notice, "the audio server changed the speaker to \(deviceName)")
            opened(deviceName)
        case .failed(let error):
            fail(error, failed)
        case .started, .underflowed, .suspended:
            break
        }
    }

    private func fail(_ error: AudioError, _ failed: @EventLoop (Interruption, String) -> Void) {
        log.log(level: .error, "\(error)")
        close()
        switch error.kind {
        case .serverLost: failed(.audioServerLost, "\(error)")
        case .noDevice, .other: failed(.speakerLost, "\(error)")
        }
    }

    private func offerRoom() {
        if let stream, stream.pendingByteCount < bound { hasRoomAgain() }
    }
}
