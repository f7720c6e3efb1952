import EventLoop
import PulseAudio
import WAV

/// The sound that a speaker plays, as a file: from its first sound to its last.
@EventLoop
final class SpeakerRecording {
    /// About a hundredth of full scale. A sink without anything to play gives exact silence.
    private static let audible: UInt16 = 300
    /// The longest silence that counts as a pause, in bytes: ten seconds.
    private static let pauseLimit = SampleSpec.speech.byteCount(of: .seconds(10))

    /// The length of the file so far.
    private(set) var seconds = 0.0
    /// The time of the last sound so far, in microseconds of the monotonic clock.
    private(set) var lastHeard: Int64?

    private let device: String
    private let format = SampleSpec.speech
    private let server: AudioServer
    private let listening: @EventLoop () -> Void
    private let heard: @EventLoop (Int64) -> Void
    private let failed: @EventLoop (String) -> Void
    private var file: WAVFile
    private var stream: CaptureStream?
    /// Silence that belongs to the file if more sound comes.
    private var pause: [UInt8] = []

    /// - Parameters:
    ///   - device: The monitor of the speaker, by PulseAudio's name.
    ///   - path: The file.
    ///   - listening: Called when the recording has begun.
    ///   - heard: Called once, with the time of the first sound in microseconds of the monotonic clock.
    ///   - failed: Called when the recording fails, with the reason.
    /// - Throws: If the file cannot be written.
    init(
        of device: String,
        to path: String,
        listening: @escaping @EventLoop () -> Void,
        heard: @escaping @EventLoop (Int64) -> Void,
        failed: @escaping @EventLoop (String) -> Void
    ) throws(SystemError) {
        self.device = device
        self.listening = listening
        self.heard = heard
        self.failed = failed
        file = try WAVFile(creating: path, rate: format.rate, channels: format.channels)
        server = AudioServer(applicationName: "ptt-sim demo")
        server.stateChanged = { [weak self] state in
            if case .ready = state { self?.open() }
        }
        server.connect()
    }

    /// Ends the recording and completes the file.
    ///
    /// - Throws: If the file cannot be completed.
    func finish() throws(SystemError) {
        close()
        try file.finish()
    }

    func close() {
        stream?.close()
        stream = nil
        server.close()
    }

    private func open() {
        do throws(AudioError) {
            stream = try CaptureStream(
                on: server,
                StreamRequest(name: "Demonstration", format: format, role: "production", device: device),
                events: { [weak self] in self?.handle($0) },
                // A sink without a device renders ahead of its clock, so that the sample's own time means
                // nothing.
                fragments: { [weak self] samples, _ in self?.append(samples) }
            )
        } catch {
            failed("\(error)")
        }
    }

    private func handle(_ event: CaptureStream.Event) {
        switch event {
        case .failed(let error): failed("\(error)")
        case .started: listening()
        case .opened, .stalled, .changed: break
        }
    }

    private func append(_ fragment: UnsafeRawBufferPointer) {
        let now = MonotonicInstant.now.nanoseconds / 1000
        let samples = fragment.bindMemory(to: Int16.self)
        guard let first = samples.firstIndex(where: Self.isAudible),
            let last = samples.lastIndex(where: Self.isAudible)
        else {
            if lastHeard != nil, pause.count < Self.pauseLimit { pause += fragment }
            return
        }
        let start = lastHeard == nil ? first * 2 : 0
        if lastHeard == nil { heard(now) }
        lastHeard = now
        write(pause + fragment[start..<(last + 1) * 2])
        pause = Array(fragment[((last + 1) * 2)...])
    }

    private func write(_ samples: [UInt8]) {
        do throws(SystemError) {
            try file.append(samples)
            seconds += Double(samples.count) / Double(format.rate * format.bytesPerSampleFrame)
        } catch {
            failed("\(error)")
            close()
        }
    }

    private static func isAudible(_ sample: Int16) -> Bool { sample.magnitude >= audible }
}
