import EventLoop
import Journal
import Logging
import PTTMessages
import PulseAudio

/// The capture stream, opened for a transmission and closed with it.
@EventLoop
final class Microphone {
    /// How long a microphone may take to open. A Bluetooth headset has to change its profile.
    private static let startLimit = Duration.seconds(5)
    /// How long an open microphone may deliver nothing. Slow virtual sources deliver every half second.
    private static let stallLimit = Duration.milliseconds(1500)

    private let server: AudioServer
    private let device: String?
    private let log: RateLimitedLog
    private var stream: CaptureStream?
    private var framer: Framer?
    private var sequence: UInt64 = 0
    /// Changes the profile of a Bluetooth headset before its microphone is opened; nil if the profile stays as it is.
    var headset: Headset?

    /// Called with the audio server's name of the device once it is open, before the first frame.
    var opened: @EventLoop (String) -> Void = { _ in }

    /// - Parameters:
    ///   - server: Connected by the caller.
    ///   - device: The PulseAudio name of a source, which may be a monitor; nil for the user's microphone.
    ///   - log: For messages about the device.
    init(server: AudioServer, device: String?, log: RateLimitedLog) {
        self.server = server
        self.device = device
        self.log = log
    }

    /// Opens the microphone and closes any earlier capture.
    ///
    /// - Parameters:
    ///   - format: That of the frames; the audio server converts.
    ///   - packet: The duration of a packet.
    ///   - started: Called once, before the first frame.
    ///   - frame: Called for each packet.
    ///   - failed: Called at most once, possibly during this call; the capture is closed by then.
    func open(
        _ format: AudioFormat,
        packet: Duration = AudioFormat.packetDuration,
        started: @escaping @EventLoop () -> Void,
        frame: @escaping @EventLoop (AudioPacketHeader, UnsafeRawBufferPointer) -> Void,
        failed: @escaping @EventLoop (EndCause) -> Void
    ) {
        close()
        guard let headset else {
            return start(format, packet: packet, from: device, started: started, frame: frame, failed: failed)
        }
        headset.begin { [weak self] source in
            guard let self else { return }
            start(
                format,
                packet: packet,
                from: source ?? device,
                started: started,
                frame: frame,
                failed: failed
            )
        }
    }

    private func start(
        _ format: AudioFormat,
        packet: Duration,
        from device: String?,
        started: @escaping @EventLoop () -> Void,
        frame: @escaping @EventLoop (AudioPacketHeader, UnsafeRawBufferPointer) -> Void,
        failed: @escaping @EventLoop (EndCause) -> Void
    ) {
        do throws(AudioError) {
            let captured = try SampleSpec(rate: format.rate, channels: format.channels)
            framer = Framer(captured, frame: packet)
            let request = StreamRequest(
                name: "Push to talk",
                format: captured,
                // With the role "phone" both servers would change the profile of a Bluetooth headset themselves.
                role: nil,
                latency: packet,
                device: device
            )
            stream = try CaptureStream(
                on: server,
                request,
                startLimit: Self.startLimit,
                stallLimit: Self.stallLimit,
                events: { [weak self] in self?.handle($0, started: started, failed: failed) },
                fragments: { [weak self] in self?.cut($0, at: $1, deliver: frame) }
            )
        } catch {
            fail(error, failed)
        }
    }

    /// Closes the microphone immediately. Nothing is delivered afterwards.
    func close() {
        headset?.end()
        stream?.close()
        stream = nil
        framer = nil
        sequence = 0
    }

    private func cut(
        _ fragment: UnsafeRawBufferPointer,
        at time: MonotonicInstant,
        deliver: (AudioPacketHeader, UnsafeRawBufferPointer) -> Void
    ) {
        // Removed meanwhile: the receiver of a frame may find that the application has disconnected, and close this.
        guard let stream, var framer else { return }
        self.framer = nil
        framer.append(fragment, at: time) { samples, time in
            guard self.stream === stream else { return }
            let time = MonotonicTime(nanoseconds: time.nanoseconds)
            deliver(AudioPacketHeader(sequence: sequence, timestamp: time), samples)
            sequence += 1
        }
        if self.stream === stream { self.framer = framer }
    }

    private func handle(
        _ event: CaptureStream.Event,
        started: @EventLoop () -> Void,
        failed: @EventLoop (EndCause) -> Void
    ) {
        switch event {
        case .started:
            started()
        case .stalled:
            log.log(level: .error, "the microphone \(stream?.deviceName ?? "") delivers nothing")
            close()
            failed(.microphoneLost)
        case .opened(let deviceName):
            opened(deviceName)
        case .failed(let error):
            fail(error, failed)
        case .microphoneMuted(let isMuted):
            guard isMuted else { return }
            log.log(level: .notice, "the microphone is muted in the audio server: unmute it there")
        case .resumed, .suspended:
            break
        }
    }

    private func fail(_ error: AudioError, _ failed: @EventLoop (EndCause) -> Void) {
        close()
        switch error.kind {
        case .serverLost:
            log.log(level: .error, "\(error)")
            failed(.audioServerLost)
        case .noDevice:
            log.log(level: .error, "\(error); `microphone =` in pttd.toml names the source to use")
            failed(.noMicrophone)
        case .other:
            log.log(level: .error, "\(error)")
            failed(.microphoneLost)
        }
    }
}
