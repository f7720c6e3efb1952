import AccessoryCore
import DBus
import EventLoop
import Glibc
import PTTMessages

/// The buttons, the simulated bluetoothd, and their control.
@EventLoop
final class Simulation {
    /// Keeps the one simulation of the process while the loop runs.
    static var running: Simulation?

    /// The time in which both ends of a link detect that it is lost (supervision timeout).
    static let supervisionTimeout = Duration.seconds(1)

    /// A button out of reach, whose link is not yet lost.
    private struct Vanishing {
        let timer: TimerSource
        let ended: @EventLoop () -> Void
    }

    private let address: String
    private let buttons: [VirtualButton]
    /// Numbered after the buttons.
    let microphones: [VirtualSerialMicrophone]
    private let steps: [Script.Step]
    private let isExperimental: Bool
    private(set) var daemon: SimulatedDaemon?
    private var console: Console?
    private var chosen = 1
    private var isHeld = false
    private var remainingSteps: Int
    private var hasInputEnded = false
    private var vanishing: [Int: Vanishing] = [:]
    var timers: [TimerSource] = []
    var floods: [Int: TimerSource] = [:]
    private var signals: [SignalSource] = []

    init(
        bus address: String,
        buttons: [VirtualButton],
        microphones: [VirtualSerialMicrophone],
        steps: [Script.Step],
        isExperimental: Bool
    ) {
        self.address = address
        self.buttons = buttons
        self.microphones = microphones
        self.steps = steps
        self.isExperimental = isExperimental
        remainingSteps = steps.count
    }

    func start() async {
        do {
            for signal in [SIGINT, SIGTERM] {
                signals.append(try SignalSource(signal) { [weak self] in self?.end(0) })
            }
            try await startDaemon()
        } catch {
            printError("\(error)")
            return end(1)
        }
        for device in daemon?.adapter?.devices.values.map(\.self) ?? [] { device.startConnected() }
        printLine("ready \(address)")
        for step in steps {
            let timer = TimerSource { [weak self] in self?.play(step) }
            timer.arm(after: step.time)
            timers.append(timer)
        }
        let console = Console { [weak self] in self?.received($0) }
        self.console = console
        if console.isTerminal { printLine("space: press and release   1-9: choose a button   q: quit") }
    }

    private func startDaemon() async throws(BusError) {
        let daemon = try await SimulatedDaemon.start(
            on: .address(address),
            buttons: buttons,
            microphones: microphones,
            isExperimental: isExperimental
        )
        daemon.connection.onLost = { [weak self] error in
            printError("\(error)")
            self?.end(1)
        }
        try daemon.plug()
        self.daemon = daemon
    }

    private func play(_ step: Script.Step) {
        carryOut(step.command) { [weak self] answer in
            printLine("\(step.text): \(answer)")
            self?.remainingSteps -= 1
            self?.endIfFinished()
        }
    }

    /// The simulation ends with its input, but not before its script.
    private func endIfFinished() {
        if hasInputEnded, remainingSteps == 0 { end(0) }
    }

    private func end(_ code: Int32) {
        console?.close()
        EventLoop.exit(code: code)
    }

    // MARK: - Input

    private func received(_ input: Console.Input) {
        switch input {
        case .line(let line):
            do throws(CommandError) {
                carryOut(try Command(line: line)) { printLine($0) }
            } catch {
                printLine("error: \(error)")
            }
        case .key(let key): received(key)
        case .end:
            hasInputEnded = true
            endIfFinished()
        }
    }

    private func received(_ key: Character) {
        switch key {
        case "q": end(0)
        case " ":
            isHeld.toggle()
            let verb = isHeld ? "pressed" : "released"
            let number = chosen
            carryOut(isHeld ? .press(number, .talk) : .release(number, .talk)) { answer in
                printLine(answer == "ok" ? "button \(number) \(verb)" : answer)
            }
        default:
            guard let number = key.wholeNumberValue, (1...buttons.count).contains(number) else { return }
            if isHeld { received(" ") }
            chosen = number
            printLine("button \(number): \(buttons[number - 1].stored.name)")
        }
    }

    // MARK: - Commands

    /// Answers exactly once, when the command has been carried out.
    private func carryOut(_ command: Command, answer: @escaping @EventLoop (String) -> Void) {
        do throws(CommandError) {
            if let microphone = command.number.flatMap({ microphone($0) }) {
                return try carryOut(command, by: microphone, answer)
            }
            switch command {
            case .press(let number, let role):
                let button = try button(number)
                try send(try button.set(role, isPressed: true), from: button)
            case .release(let number, let role):
                let button = try button(number)
                try send(try button.set(role, isPressed: false), from: button)
            case .raw(let number, let bytes, let input):
                let button = try button(number)
                if button.advertises {
                    button.advertise(raw: bytes)
                    try advertise(button)
                } else {
                    try send([.notify(bytes, input: input)], from: button)
                }
            case .flood(let number, let count): flood(try button(number), count: count)
            case .disconnect(let number): device(of: try button(number))?.loseLink()
            case .sleep(let number): sleep(try button(number))
            case .wake(let number), .comeBack(let number): wake(try button(number))
            case .vanish(let number): return vanish(try button(number)) { answer("ok") }
            case .onSubscribe(let number, let bytes):
                try button(number).characteristics.first?.valueOnSubscribe = bytes
            case .stored(let number, let bytes): try button(number).characteristics.first?.value = bytes
            case .hide(let number): try button(number).stored.hideAddress()
            case .sound(let number, let isUp): device(of: try button(number))?.setSound(isUp)
            case .page(let number), .closePort(let number), .refusePort(let number, count: _):
                throw CommandError(description: "button \(try button(number).number) is no microphone")
            case .power(let isOn): try adapter().setPower(isOn)
            case .unplug: try present().unplug()
            case .plug: try plug()
            case .crash: try crash()
            case .revive: return revive(answer)
            case .quit: end(0)
            }
            answer("ok")
        } catch {
            answer("error: \(error)")
        }
    }

    /// Sends what several inputs report, in order; nothing for a release that the button never reports.
    private func send(_ frames: [AccessoryExample.Step.Action], from button: VirtualButton)
        throws(CommandError)
    {
        for case .advertise(let data) in frames {
            button.advertise(pressed: data)
            return try advertise(button)
        }
        var receivers = 0
        for case .notify(let bytes, let input) in frames {
            button.characteristics.first { $0.input == input }?.value = bytes
            if button.radio != .gone, device(of: button)?.notify(bytes, input: input) == true {
                receivers += 1
            }
        }
        guard receivers > 0 || frames.isEmpty else {
            throw CommandError(
                description: "not notified: button \(button.number) is not connected, or has no subscriber"
            )
        }
    }

    private func advertise(_ button: VirtualButton) throws(CommandError) {
        guard daemon?.adapter?.advertised(button) == true else {
            throw CommandError(description: "not received: nothing listens for advertisements")
        }
    }

    private func sleep(_ button: VirtualButton) {
        button.radio = .asleep
        device(of: button)?.loseLink()
    }

    private func wake(_ button: VirtualButton) {
        button.radio = .awake
        vanishing.removeValue(forKey: button.number)?.ended()
        daemon?.adapter?.radioChanged()
    }

    private func vanish(_ button: VirtualButton, ended: @escaping @EventLoop () -> Void) {
        button.radio = .gone
        let timer = TimerSource { [weak self] in
            self?.device(of: button)?.loseLink()
            self?.vanishing.removeValue(forKey: button.number)?.ended()
        }
        timer.arm(after: Self.supervisionTimeout)
        let earlier = vanishing.updateValue(Vanishing(timer: timer, ended: ended), forKey: button.number)
        earlier?.ended()
    }

    private func plug() throws(CommandError) {
        let daemon = try present()
        do throws(BusError) {
            try daemon.plug()
        } catch {
            throw CommandError(description: "\(error)")
        }
    }

    private func crash() throws(CommandError) {
        try present().crash()
        daemon = nil
    }

    private func revive(_ answer: @escaping @EventLoop (String) -> Void) {
        guard daemon == nil else { return answer("error: bluetoothd is running") }
        Task { @EventLoop in
            do throws(BusError) {
                try await startDaemon()
                answer("ok")
            } catch {
                answer("error: \(error)")
            }
        }
    }

    private func present() throws(CommandError) -> SimulatedDaemon {
        guard let daemon else {
            throw CommandError(description: "bluetoothd is not running; use revive")
        }
        return daemon
    }

    private func adapter() throws(CommandError) -> SimulatedAdapter {
        guard let adapter = try present().adapter else {
            throw CommandError(description: "there is no adapter; use plug")
        }
        return adapter
    }

    private func button(_ number: Int) throws(CommandError) -> VirtualButton {
        guard (1...buttons.count).contains(number) else {
            throw CommandError(description: "there is no button \(number), only 1 to \(buttons.count)")
        }
        return buttons[number - 1]
    }

    func device(of button: VirtualButton) -> SimulatedDevice? {
        daemon?.adapter?.devices[button.number]
    }
}

/// Prints an error on standard error.
func printError(_ text: String) {
    let line = "ptt-sim: \(text)\n"
    // If standard error cannot be written, there is no place left to report that.
    _ = write(STDERR_FILENO, line, line.utf8.count)
}
