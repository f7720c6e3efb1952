import EventLoop
import Journal
import Logging
import PTTMessages
import PulseAudio

/// The capture stream, opened for a transmission and closed with it.
@EventLoop
final class Microphone {
    /// The time for which an open microphone may deliver nothing. Slow virtual sources deliver every half
    /// second.
    private static let stallLimit = Duration.milliseconds(1500)

    private let server: AudioServer
    private let preferences: [String]
    private let log: RateLimitedLog
    private var stream: CaptureStream?
    private var framer: Framer?
    private var started: (@EventLoop () -> Void)?
    private var frame: (@EventLoop (AudioPacketHeader, UnsafeRawBufferPointer) -> Void)?
    private var failed: (@EventLoop (EndCause) -> Void)?
    private var sequence: UInt64 = 0
    private var deliversIncompletePackets = false
    /// Changes the profile of a Bluetooth headset before its microphone is opened; nil if the profile stays
    /// as it is.
    var headset: BluetoothHeadset?
    /// Lowers what other programs play while the microphone is open; nil if it stays as loud as it is.
    var ducking: Ducking?
    /// The time before which captured audio is not delivered.
    private var gate = MonotonicInstant(nanoseconds: .min)
    /// The time before which captured audio is delivered as silence.
    private var silenceEnd = MonotonicInstant(nanoseconds: .min)
    /// The microphone of ``stream``, once it is known.
    private var source: SourceState?
    private let deaf: DeafMicrophone
    private let silence = [UInt8](repeating: 0, count: AudioFormat.largestPacket)

    /// Called with the state of the device in the audio server once it is open, before the first frame, and
    /// after each change.
    var changed: @EventLoop (MicrophoneState) -> Void = { _ in }
    /// Called with the state of a device that delivered nothing but zeros when it was closed, after each
    /// change of it.
    var changedWhileClosed: @EventLoop (MicrophoneState) -> Void = { _ in }

    /// - Parameters:
    ///   - server: Connected by the caller.
    ///   - preferences: The names or descriptions of sources, best first, which may be monitors; empty for
    ///     the user's microphone.
    ///   - log: For messages about the device.
    init(server: AudioServer, preferences: [String], log: RateLimitedLog) {
        self.server = server
        self.preferences = preferences
        self.log = log
        deaf = DeafMicrophone(server: server, log: log)
        deaf.changed = { [weak self] in self?.changedWhileClosed(MicrophoneState($0)) }
    }

    func serverIsReady() { deaf.serverIsReady() }

    /// Opens the microphone and closes any earlier capture.
    ///
    /// - Parameters:
    ///   - format: The format of the frames; the audio server converts.
    ///   - feedsVirtualMicrophone: True if packets are shorter, and shorter still in place of waiting for the
    ///     rest of one.
    ///   - started: Called once, before the first frame.
    ///   - frame: Called for each packet.
    ///   - failed: Called at most once, possibly during this call; the capture is closed by then.
    func open(
        _ format: AudioFormat,
        feedsVirtualMicrophone: Bool = false,
        started: @escaping @EventLoop () -> Void,
        frame: @escaping @EventLoop (AudioPacketHeader, UnsafeRawBufferPointer) -> Void,
        failed: @escaping @EventLoop (EndCause) -> Void
    ) {
        close()
        (self.started, self.frame, self.failed) = (started, frame, failed)
        deliversIncompletePackets = feedsVirtualMicrophone
        let packet =
            feedsVirtualMicrophone ? VirtualMicrophoneDevice.packetDuration : AudioFormat.packetDuration
        let start: @EventLoop (String?) -> Void = { [weak self] in self?.start(format, packet, from: $0) }
        if let headset { headset.begin(start) } else { start(nil) }
    }

    private func start(_ format: AudioFormat, _ packet: Duration, from device: String?) {
        do throws(AudioError) {
            let captured = SampleSpec(rate: format.rate, channels: format.channels)
            framer = Framer(captured, frame: packet)
            let request = StreamRequest(
                name: "Push to talk",
                format: captured,
                // With the role "phone" both servers would change the profile of a Bluetooth headset
                // themselves.
                role: nil,
                latency: packet,
                device: device,
                preferences: preferences
            )
            stream = try CaptureStream(
                on: server,
                request,
                stallLimit: Self.stallLimit,
                events: { [weak self] in self?.handle($0) },
                fragments: { [weak self] in self?.cut($0, at: $1) }
            )
            // After the order to open it, which it must not hold up.
            ducking?.begin()
        } catch {
            fail(error)
        }
    }

    /// Closes the microphone immediately. Nothing is delivered afterwards.
    func close() {
        stream?.close()
        stream = nil
        headset?.end()
        ducking?.end()
        (framer, started, frame, failed) = (nil, nil, nil, nil)
        sequence = 0
        gate = MonotonicInstant(nanoseconds: .min)
        silenceEnd = gate
        if let source, source.isDeaf, source.isDeafItself { deaf.watch(source) }
        source = nil
    }

    /// Asks how old a sample is when it arrives here; see ``CaptureStream/latency(_:)``.
    func latency(_ completion: @escaping @EventLoop (Duration?) -> Void) {
        stream?.latency(completion)
    }

    /// Delivers nothing that arrived before this time: the first frame begins with it.
    func discard(before time: MonotonicInstant) {
        gate = time
        framer?.reset()
    }

    /// Delivers silence in place of what arrives before this time.
    func silence(until time: MonotonicInstant) {
        silenceEnd = time
    }

    /// Delivers the packet that is incomplete now, with silence in place of what is missing: what a person
    /// said last has been captured and is not to be lost. Call ``close()`` then.
    func finish() {
        guard var framer else { return }
        self.framer = nil
        let size = framer.frameByteCount
        framer.flush { samples, time in
            let packet = Array(samples) + [UInt8](repeating: 0, count: size - samples.count)
            packet.withUnsafeBytes { deliver($0, at: time) }
        }
    }

    private func deliver(_ samples: UnsafeRawBufferPointer, at time: MonotonicInstant) {
        let header = AudioPacketHeader(
            sequence: sequence,
            timestamp: MonotonicTime(nanoseconds: time.nanoseconds)
        )
        if time < silenceEnd {
            silence.withUnsafeBytes { frame?(header, UnsafeRawBufferPointer(rebasing: $0[..<samples.count])) }
        } else {
            frame?(header, samples)
        }
        sequence += 1
    }

    private func cut(_ fragment: UnsafeRawBufferPointer, at time: MonotonicInstant) {
        // Removed meanwhile: the receiver of a frame may find that the application has disconnected, and
        // close this.
        guard let stream, var framer else { return }
        let early = time < gate ? min(fragment.count, framer.format.byteCount(of: gate - time)) : 0
        guard early < fragment.count else { return }
        self.framer = nil
        // A function and no closure: it must not be allocated for each fragment.
        func deliverPacket(_ samples: UnsafeRawBufferPointer, at time: MonotonicInstant) {
            guard self.stream === stream else { return }
            self.deliver(samples, at: time)
        }
        framer.append(
            UnsafeRawBufferPointer(rebasing: fragment[early...]),
            at: max(time, gate),
            deliver: deliverPacket
        )
        if deliversIncompletePackets { framer.flush(deliver: deliverPacket) }
        if self.stream === stream { self.framer = framer }
    }

    private func handle(_ event: CaptureStream.Event) {
        switch event {
        case .started:
            started?()
        case .stalled:
            log.log(level: .error, "the microphone \(stream?.deviceName ?? "") delivers nothing")
            end(.microphoneLost)
        case .failed(let error):
            fail(error)
        case .opened(let source), .changed(let source):
            update(source)
        }
    }

    /// Mute and volume are the user's decision, and are only reported.
    private func update(_ source: SourceState) {
        if source.isMuted {
            log.log(level: .notice, "the microphone is muted in the audio server: unmute it there")
        } else if source.isSilent {
            log.log(level: .notice, "the volume of the microphone is 0 in the audio server: raise it there")
        }
        deaf.stop()
        self.source = source
        changed(MicrophoneState(source))
    }

    private func fail(_ error: AudioError) {
        let isNoDevice = error.kind == .noDevice
        let advice =
            isNoDevice ? "; `microphone =` and `bluetooth-headset =` in pttd.toml say what is used" : ""
        log.log(level: .error, "\(error)\(advice)")
        switch error.kind {
        case .serverLost: end(.audioServerLost)
        case .noDevice: end(.noMicrophone)
        case .deviceRemoved, .other: end(.microphoneLost)
        }
    }

    private func end(_ cause: EndCause) {
        let handler = failed
        close()
        handler?(cause)
    }
}

extension MicrophoneState {
    fileprivate init(_ source: SourceState) {
        self.init(
            name: source.name,
            description: source.description,
            isMuted: source.isMuted,
            isSilent: source.isSilent
        )
    }
}
