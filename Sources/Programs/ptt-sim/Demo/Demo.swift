import CoreLink
import EventLoop
import Glibc
import JSON
import PTTMessages

/// One press from beginning to end, watched through the daemons' own sockets.
@EventLoop
final class Demo {
    static var running: Demo?

    /// How long anything but the person may take.
    private static let patience = Duration.seconds(20)
    /// How long the script holds the button.
    private static let hold = Duration.seconds(2)

    private let programs: String
    private let wav: String
    private var stack: DemoStack?
    private var button: DemoProcess?
    private var console: Console?
    private var connections: [ServiceConnection] = []
    private var timeline = Timeline()
    private var timer: TimerSource?
    private var signals: [SignalSource] = []
    private var ready: Set<Part> = []
    private var isPressed = false

    /// What must be there before a press makes sense.
    private enum Part: CaseIterable {
        case button
        case application
        case sound
    }

    init(programs: String, wav: String) {
        self.programs = programs
        self.wav = wav.hasPrefix("/") ? wav : Self.workingDirectory + "/" + wav
    }

    func start() {
        attempt {
            signals = try [SIGINT, SIGTERM, SIGHUP].map { signal in
                try SignalSource(signal) { [weak self] in self?.fail("stopped") }
            }
            expect("the private stack did not come up")
            let stack = try DemoStack(programs: programs)
            self.stack = stack
            say(
                "starting a private D-Bus, a sound server with a 440 Hz tone, a simulated button and both daemons"
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
        do throws(LinkError) {
            let core = try ServiceConnection.core()
            let bridge = try ServiceConnection.bridge()
            connections = [core, bridge]
            core.subscribe(
                { [weak self] in self?.coreTold($0) },
                ended: { [weak self] in self?.fail("\($0)") }
            )
            bridge.subscribe(
                { [weak self] in self?.bridgeTold($0) },
                ended: { [weak self] in self?.fail("\($0)") }
            )
        } catch {
            let retry = TimerSource { [weak self] in self?.connect() }
            retry.arm(after: .milliseconds(20))
            connecting = retry
            return
        }
        connecting = nil
        attempt {
            try stack?.startApplication(wav) { [weak self] in self?.applicationSaid($0) }
        }
    }

    private var connecting: TimerSource?

    private func became(ready part: Part) {
        guard ready.insert(part).inserted, ready.count == Part.allCases.count else { return }
        timer?.disarm()
        if isatty(STDIN_FILENO) != 0 {
            say("ready: the space bar presses the button, and lets it go again; q ends")
            console = Console { [weak self] in self?.typed($0) }
        } else {
            press()
        }
    }

    // MARK: The press

    private func typed(_ input: Console.Input) {
        switch input {
        case .key(" "): isPressed ? release() : press()
        case .key("q"), .end: fail("ended before the button was let go")
        case .key, .line: break
        }
    }

    private func press() {
        isPressed = true
        timeline.note("button pressed")
        button?.write("press 1")
        expect("nothing followed from the press")
    }

    private func release() {
        guard isPressed else { return }
        timeline.note("button let go")
        button?.write("release 1")
        expect("nothing followed from letting go")
    }

    // MARK: What follows

    private func coreTold(_ update: CoreInterface.Update) {
        if let status = update.status {
            if status.isAudioServerReady { became(ready: .sound) }
            if status.channel?.application != nil { became(ready: .application) }
        }
        guard let event = update.event else { return }
        let time = Int64(update.time)
        switch event {
        case .audioServerReady: became(ready: .sound)
        case .channelJoined: became(ready: .application)
        case .transmissionBegan: timeline.note("transmission began", at: time)
        case .transmissionRefused(_, let refusal): fail(refusal.reason)
        case .audioActivated:
            timeline.note("microphone open: first sound captured", at: time)
            audioActivated()
        case .transmissionEnded(_, let cause):
            timeline.note("transmission ended: \(cause.rawValue)", at: time)
        case .audioDeactivated: timeline.note("microphone closed", at: time)
        case .descriptorChanged, .applicationDetached, .channelLeft, .timeLimitNear, .audioActivating,
            .audioServerLost, .unknown:
            break
        }
    }

    private func audioActivated() {
        timer?.disarm()
        if console != nil { return say("on the air: space lets the button go") }
        let script = TimerSource { [weak self] in self?.release() }
        script.arm(after: Self.hold)
        timer = script
    }

    private func bridgeTold(_ update: AccessoryInterface.Update) {
        let devices = (update.devices ?? []) + [update.event?.device].compactMap(\.self)
        if devices.contains(where: { $0.link == .ready }) { became(ready: .button) }
        if update.event?.kind == .pressed { timeline.note("bridge saw the press", at: Int64(update.time)) }
        if update.event?.kind == .released { timeline.note("bridge saw the release", at: Int64(update.time)) }
    }

    /// The application's last line tells what it has heard.
    private func applicationSaid(_ line: String) {
        // Lines that are no summary are events, which the core has told as well.
        guard let object = try? JSON(parsing: line).object,
            case .int(let packets)? = object["packets"], case .double(let seconds)? = object["seconds"]
        else { return }
        if case .int(let arrival)? = object["firstArrival"] {
            timeline.note("application got its first packet", at: arrival)
        }
        finish("\(wav): \(seconds) s of sound in \(packets) packets")
    }

    // MARK: End

    private func finish(_ summary: String) {
        for line in timeline.lines { say(line) }
        say(summary)
        end(EXIT_SUCCESS)
    }

    private func fail(_ reason: String) {
        console?.close()
        complain(reason)
        for (name, text) in stack?.logs ?? [] { complain("\(name): \(text)") }
        end(EXIT_FAILURE)
    }

    private func end(_ code: Int32) {
        timer?.disarm()
        console?.close()
        for connection in connections { connection.close() }
        stack?.end()
        EventLoop.exit(code: code)
    }

    private func expect(_ complaint: String) {
        let limit = TimerSource { [weak self] in self?.fail(complaint) }
        limit.arm(after: Self.patience)
        timer = limit
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { fail("\(error)") }
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }
}
