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

    /// The time of the last sound so far, in microseconds of the monotonic clock.
    private(set) var lastHeard: Int64?

    private let device: String
    private let server = AudioServer(applicationName: "ptt-sim demo")
    private unowned let demo: Demo
    private var file: WAVFile
    private var stream: CaptureStream?
    /// Silence that belongs to the file if more sound comes.
    private var pause: [UInt8] = []

    /// `device` is the monitor of the speaker, by PulseAudio's name. `demo` is told when the recording has
    /// begun, of the first sound, and of a failure.
    ///
    /// - Throws: If the file cannot be written.
    init(of device: String, to path: String, for demo: Demo) throws(SystemError) {
        self.device = device
        self.demo = demo
        let format = SampleSpec.speech
        file = try WAVFile(creating: path, rate: format.rate, channels: format.channels)
        server.stateChanged = { [weak self] state in
            if case .ready = state { self?.open() }
        }
        server.connect()
    }

    /// Ends the recording, completes the file, and returns its length.
    func finish() throws(SystemError) -> Duration {
        close()
        try file.finish()
        return file.duration
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
                StreamRequest(name: "Demonstration", role: "production", device: device),
                events: { [weak self] in self?.handle($0) },
                // A sink without a device renders ahead of its clock, so that the sample's own time means
                // nothing.
                fragments: { [weak self] samples, _ in self?.append(samples) }
            )
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) { demo.fail("the recording of the speaker: \(error)") }

    private func handle(_ event: CaptureStream.Event) {
        switch event {
        case .failed(let error): fail(error)
        case .started: demo.saw(.speaker)
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
        if lastHeard == nil { demo.timeline.note("the echo is audible", at: now) }
        lastHeard = now
        do throws(SystemError) {
            try file.append(pause + fragment[start..<(last + 1) * 2])
        } catch {
            fail(error)
            close()
        }
        pause = Array(fragment[((last + 1) * 2)...])
    }

    private static func isAudible(_ sample: Int16) -> Bool { sample.magnitude >= audible }
}
