import ChildProcess
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// One press and the application's answer, observed through the daemons' own sockets and at the speaker; then
/// one press into a program that records from the Push-to-Talk Microphone (`Demo+Call.swift`).
@EventLoop
final class Demo {
    static var running: Demo?

    /// The time limit of each step that does not wait for the person.
    private static let stepTimeLimit = Duration.seconds(20)
    /// The time for which the script holds the button.
    private static let hold = Duration.seconds(2)
    /// The delay of the last sound of the speaker in the sound server.
    private static let tail = Duration.milliseconds(200)

    private let programs: String
    private let wav: String
    var stack: DemoStack?
    var button: ChildProcess?
    private var console: Console?
    var connections: [ServiceConnection] = []
    var timeline = Timeline()
    var timer: TimerSource?
    private var signals: [SignalSource] = []
    private var ready: Set<Part> = []
    private var isPressed = false
    private var step = Step.before
    /// Nil during the first act.
    var call: Call?
    private var recording: SpeakerRecording?

    /// A part that must be ready before a press.
    private enum Part: CaseIterable {
        case button
        case application
        case sound
        case speaker
    }

    /// The progress of the demonstration.
    private enum Step {
        case before
        case talking
        /// The person has talked, and the application has not answered yet.
        case answering
        case listening
        case over
    }

    init(programs: String, wav: String) {
        self.programs = programs
        self.wav = wav.hasPrefix("/") ? wav : DemoCommand.workingDirectory + "/" + wav
    }

    func start() {
        attempt {
            signals = try [SIGINT, SIGTERM, SIGHUP].map { signal in
                try SignalSource(signal) { [weak self] in self?.fail("stopped") }
            }
            expect("the private stack did not come up")
            let stack = try DemoStack(programs: programs)
            self.stack = stack
            printLine(
                "starting a private D-Bus, a sound server with a 440 Hz tone, a simulated button, both daemons and ptt-echo"
            )
            try stack.startServers { [weak self] in self?.startButton() }
        }
    }

    // MARK: Start

    private func startButton() {
        attempt {
            button = try stack?.startButton { [weak self] line in
                if line.hasPrefix("ready") { self?.startDaemons() }
                if line.hasPrefix("error") { self?.fail("the simulated button: \(line)") }
            }
        }
    }

    private func startDaemons() {
        attempt {
            try stack?.startDaemons()
            connect()
        }
    }

    /// Tries until both daemons listen; ``expect(_:)`` limits it.
    private func connect() {
        do throws(ServiceError) {
            let core = try ServiceConnection.core()
            let accessoryd = try ServiceConnection.accessory()
            connections = [core, accessoryd]
            core.subscribe(
                { [weak self] in self?.coreUpdated($0) },
                ended: { [weak self] in self?.fail("\($0)") }
            )
            accessoryd.subscribe(
                { [weak self] in self?.accessorydUpdated($0) },
                ended: { [weak self] in self?.fail("\($0)") }
            )
        } catch {
            return retry.arm(after: .milliseconds(20))
        }
        expect("the application did not join, or there is no sound")
        attempt {
            try listen()
            try stack?.startApplication()
        }
    }

    private lazy var retry = TimerSource { [weak self] in self?.connect() }

    private func listen() throws {
        recording = try SpeakerRecording(
            of: DemoStack.speaker,
            to: wav,
            listening: { [weak self] in self?.became(ready: .speaker) },
            heard: { [weak self] in self?.timeline.note("the echo is audible", at: $0) },
            failed: { [weak self] in self?.fail("the recording of the speaker: \($0)") }
        )
    }

    private func became(ready part: Part) {
        guard ready.insert(part).inserted, ready.count == Part.allCases.count else { return }
        timer?.disarm()
        if isatty(STDIN_FILENO) != 0 {
            printLine("ready: the space bar presses the button and releases it; q ends")
            console = Console { [weak self] in self?.typed($0) }
        } else {
            press()
        }
    }

    // MARK: The press

    private func typed(_ input: Console.Input) {
        switch input {
        case .key(" "): isPressed ? release() : press()
        case .key("q"), .end: fail("ended before the button was released")
        case .key, .line: break
        }
    }

    func press() {
        isPressed = true
        timeline.note("button pressed")
        button?.write("press 1")
        expect("the press had no effect")
    }

    func release() {
        guard isPressed else { return }
        timeline.note("button released")
        button?.write("release 1")
        expect("the release had no effect")
    }

    // MARK: The effects

    private func coreUpdated(_ update: ChannelInterface.Update) {
        if let status = update.status {
            if status.isAudioServerReady { became(ready: .sound) }
            if status.channel?.application != nil { became(ready: .application) }
        }
        guard let event = update.event else { return }
        let time = Int64(update.time)
        if call != nil { return callUpdated(event, at: time) }
        if case .transmissionBegan = event {
            step = .talking
            timeline.note("transmission began", at: time)
        }
        if case .transmissionEnded(_, let cause, _) = event {
            step = .answering
            timeline.note("transmission ended: \(cause.rawValue)", at: time)
        }
        if case .participantChanged(let participant) = event { participantChanged(participant, at: time) }
        if case .audioActivated = event { audioActivated(at: time) }
        if case .audioDeactivated = event { audioDeactivated(at: time) }
        if case .audioServerReady = event { became(ready: .sound) }
        if case .channelJoined = event { became(ready: .application) }
        if case .transmissionRefused(_, let refusal) = event { fail(refusal.reason) }
        if case .audioInterrupted(let cause) = event { fail("audio was interrupted: \(cause.rawValue)") }
        if case .channelLeft(_, let explanation) = event { fail(explanation ?? "the channel was left") }
        if case .applicationDetached = event { fail("ptt-echo has ended") }
    }

    private func participantChanged(_ participant: Participant?, at time: Int64) {
        if let participant {
            step = .listening
            timeline.note("\(participant.name) talks", at: time)
            // As long as the person talked, which the time limit of a transmission limits.
            expect("the echo did not end", within: Self.stepTimeLimit + .seconds(60))
        } else {
            step = .over
            timeline.note("the echo has ended", at: time)
        }
    }

    private func audioActivated(at time: Int64) {
        switch step {
        case .talking:
            timeline.note("microphone open: first sound captured", at: time)
            talk()
        case .before, .answering, .listening, .over: timeline.note("speaker open", at: time)
        }
    }

    private func audioDeactivated(at time: Int64) {
        switch step {
        case .before, .talking, .answering: timeline.note("microphone closed", at: time)
        case .listening: fail("the speaker closed in the middle of the echo")
        case .over:
            timeline.note("speaker closed", at: time)
            wait(Self.tail) { [weak self] in self?.finish() }
        }
    }

    private func talk() {
        timer?.disarm()
        if console != nil { return printLine("on the air: the space bar releases the button") }
        wait(Self.hold) { [weak self] in self?.release() }
    }

    private func accessorydUpdated(_ update: AccessoryInterface.Update) {
        let devices = (update.devices ?? []) + [update.event?.device].compactMap(\.self)
        if devices.contains(where: { $0.link == .ready }) { became(ready: .button) }
        if update.event?.kind == .pressed {
            timeline.note("ptt-accessoryd saw the press", at: Int64(update.time))
        }
        if update.event?.kind == .released {
            timeline.note("ptt-accessoryd saw the release", at: Int64(update.time))
        }
    }

    // MARK: End

    private func finish() {
        attempt {
            try recording?.finish()
            guard let recording, let lastHeard = recording.lastHeard else {
                return fail("the speaker played nothing")
            }
            timeline.note("the last of the echo was heard", at: lastHeard)
            for line in timeline.lines { printLine(line) }
            let seconds = (recording.seconds * 100).rounded() / 100
            printLine("\(wav): \(seconds) s of echo, as the speaker played it")
            startCall()
        }
    }

    func fail(_ reason: String) {
        console?.close()
        printError(reason)
        for (name, text) in stack?.logs ?? [] { printError("\(name): \(text)") }
        end(EXIT_FAILURE)
    }

    func end(_ code: Int32) {
        timer?.disarm()
        console?.close()
        for connection in connections { connection.close() }
        recording?.close()
        stack?.end()
        EventLoop.exit(code: code)
    }

    func expect(_ complaint: String, within limit: Duration = Demo.stepTimeLimit) {
        wait(limit) { [weak self] in self?.fail(complaint) }
    }

    func wait(_ time: Duration, then: @escaping @EventLoop () -> Void) {
        let wait = TimerSource(handler: then)
        wait.arm(after: time)
        timer = wait
    }

    func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail("\(error)") }
    }
}
