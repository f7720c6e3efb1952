import ChildProcess
import EventLoop
import Glibc
import ServiceClient

/// One press and the application's answer, observed through the daemons' own sockets and at the speaker; then
/// one press into a program that records from the Push-to-Talk Microphone.
@EventLoop
final class Demo {
    /// The time limit of each step that does not wait for the person.
    private static let stepTimeLimit = Duration.seconds(20)
    /// The time for which the script holds the button.
    private static let hold = Duration.seconds(2)
    /// The delay of the last sound of the speaker in the sound server.
    private static let tail = Duration.milliseconds(200)
    /// The time for which the recorder hears silence before the press and after it.
    private static let silence = Duration.milliseconds(500)
    /// The length of the press that the recorder hears.
    private static let secondHold = Duration.seconds(1)

    /// An event that an act waits for.
    enum Sign {
        case bus, simulator, button, application, sound, speaker
        case space, microphoneOpen, microphoneClosed
        case echo, speakerClosed
        case channelLeft, recorder
    }

    private let wav: String
    private let stack: DemoStack
    private var button: ChildProcess?
    private var console: Console?
    var connections: [ServiceConnection] = []
    var timeline = Timeline()
    private var limit: TimerSource?
    private var signals: [SignalSource] = []
    private var recording: SpeakerRecording?

    private(set) var seen: Set<Sign> = []
    private var awaited: (signs: Set<Sign>, continuation: CheckedContinuation<Void, Never>)?
    var isTransmitting = false
    var isEchoPlaying = false
    private(set) var isSecondAct = false

    init(programs: String, wav: String) throws(SystemError) {
        self.wav = wav
        stack = try DemoStack(programs: programs)
    }

    func run() async {
        do {
            signals = try [SIGINT, SIGTERM, SIGHUP].map { signal in
                try SignalSource(signal) { [weak self] in self?.fail("stopped") }
            }
            try await start()
            try await firstAct()
            try await secondAct()
            end(EXIT_SUCCESS)
        } catch {
            fail("\(error)")
        }
    }

    // MARK: The acts

    private func start() async throws {
        let complaint = "the private stack did not come up"
        printLine(
            "starting a private D-Bus, a sound server with a 440 Hz tone, a simulated button, both daemons and ptt-echo"
        )
        expect(complaint)
        try stack.startServers { [weak self] in self?.saw(.bus) }
        await signs(.bus)
        expect(complaint)
        button = try stack.startButton { [weak self] line in
            if line.hasPrefix("ready") { self?.saw(.simulator) }
            if line.hasPrefix("error") { self?.fail("the simulated button: \(line)") }
        }
        await signs(.simulator)
        expect(complaint)
        try stack.startDaemons()
        while !connect() { await pause(.milliseconds(20)) }
        expect("the application did not join, or there is no sound")
        recording = try SpeakerRecording(of: DemoStack.speaker, to: wav, for: self)
        try stack.startApplication()
        await signs(.button, .application, .sound, .speaker)
        guard isatty(STDIN_FILENO) != 0 else { return }
        printLine("ready: the space bar presses the button and releases it; q ends")
        console = Console { [weak self] in self?.typed($0) }
    }

    private func firstAct() async throws {
        if console != nil { await spaceBar() }
        await press()
        if console == nil {
            await pause(Self.hold)
        } else {
            printLine("on the air: the space bar releases the button")
            await spaceBar()
        }
        await release(.echo)
        // As long as the person talked, which the time limit of a transmission limits.
        expect("the echo did not end", within: Self.stepTimeLimit + .seconds(60))
        await signs(.speakerClosed)
        await pause(Self.tail)
        guard let recording, let lastHeard = recording.lastHeard else {
            throw SimulationError(description: "the speaker played nothing")
        }
        let seconds: Double = try recording.finish() / .seconds(1)
        timeline.note("the last of the echo was heard", at: lastHeard)
        for line in timeline.lines { printLine(line) }
        printLine("\(wav): \((seconds * 100).rounded() / 100) s of echo, as the speaker played it")
    }

    /// A program that knows nothing of push-to-talk records from the Push-to-Talk Microphone, as a call does.
    private func secondAct() async throws {
        printLine("")
        printLine(
            "without an application: parecord, which could be any call, chooses the Push-to-Talk Microphone"
        )
        (isSecondAct, timeline, seen) = (true, Timeline(), [])
        stack.endApplication()
        expect("the channel was not left")
        // Without a channel a press goes to the Push-to-Talk Microphone. On the connection with the
        // subscription a reply would wait for its end.
        let core = try ServiceConnection.core()
        try await core.leave(nil)
        core.close()
        await signs(.channelLeft)
        expect("parecord did not record from the Push-to-Talk Microphone")
        try stack.startRecorder()
        await signs(.recorder)
        await pause(Self.silence)
        await press()
        await pause(Self.secondHold)
        await release(.microphoneClosed)
        await pause(Self.silence)
        let samples = stack.recordedSamples()
        for line in timeline.lines { printLine(line) }
        guard let first = samples.firstIndex(where: { $0 != 0 }),
            let last = samples.lastIndex(where: { $0 != 0 })
        else { throw SimulationError(description: "parecord heard nothing of the press") }
        let lengths = [first, last + 1 - first, samples.count - last - 1].map { count in
            "\(Double(count * 100 / DemoStack.recordingRate) / 100) s"
        }
        printLine(
            "parecord heard \(lengths[0]) of silence, \(lengths[1]) of the microphone, \(lengths[2]) of silence"
        )
    }

    private func press() async {
        timeline.note("button pressed")
        button?.write("press 1")
        expect("the press had no effect")
        await signs(.microphoneOpen)
    }

    private func release(_ effect: Sign) async {
        timeline.note("button released")
        button?.write("release 1")
        expect("the release had no effect")
        await signs(effect)
    }

    // MARK: Waiting

    /// Waits for all of these, as long as the last expectation allows.
    private func signs(_ signs: Sign...) async {
        defer { limit?.disarm() }
        guard !seen.isSuperset(of: signs) else { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            awaited = (Set(signs), continuation)
        }
    }

    func saw(_ sign: Sign) {
        seen.insert(sign)
        guard let awaited, awaited.signs.isSubset(of: seen) else { return }
        self.awaited = nil
        awaited.continuation.resume()
    }

    /// Waits for the person, who may take any time.
    private func spaceBar() async {
        seen.remove(.space)
        await signs(.space)
    }

    private func pause(_ time: Duration) async {
        var timer: TimerSource?
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            timer = TimerSource { continuation.resume() }
            timer?.arm(after: time)
        }
        timer?.disarm()
    }

    /// Limits the time until the signs that are waited for next.
    private func expect(_ complaint: String, within time: Duration = Demo.stepTimeLimit) {
        limit = TimerSource { [weak self] in self?.fail(complaint) }
        limit?.arm(after: time)
    }

    // MARK: End

    func fail(_ reason: String) {
        console?.close()
        printError(reason)
        for (name, text) in stack.logs { printError("\(name): \(text)") }
        end(EXIT_FAILURE)
    }

    private func end(_ code: Int32) {
        limit?.disarm()
        console?.close()
        for connection in connections { connection.close() }
        recording?.close()
        stack.end()
        EventLoop.exit(code: code)
    }
}
