import DBus
import EventLoop
import Glibc
import PTTMessages

/// The buttons, the simulated bluetoothd, and their control.
@EventLoop
final class Simulation {
    private let address: String
    /// The microphones are numbered after the buttons.
    private let accessories: [any VirtualAccessory]
    private let steps: [Script.Step]
    private let isExperimental: Bool
    private(set) var daemon: SimulatedDaemon?
    private var console: Console?
    private var chosen = 1
    private var isHeld = false
    private var remainingSteps: Int
    private var hasInputEnded = false
    /// The accessories out of reach whose links are not lost yet, by their numbers.
    var vanishing: [Int: (timer: TimerSource, ended: @EventLoop () -> Void)] = [:]
    private var timers: [TimerSource] = []
    var floods: [Int: TimerSource] = [:]

    init(
        bus address: String,
        accessories: [any VirtualAccessory],
        steps: [Script.Step],
        isExperimental: Bool
    ) {
        self.address = address
        self.accessories = accessories
        self.steps = steps
        self.isExperimental = isExperimental
        remainingSteps = steps.count
    }

    func start() async {
        do throws(BusError) {
            try await startDaemon()
        } catch {
            printError("\(error)")
            return end(1)
        }
        for case let button as VirtualButton in accessories { device(of: button)?.startConnected() }
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
        let daemon = try await SimulatedDaemon(
            on: .address(address),
            accessories: accessories,
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

    func end(_ code: Int32) {
        console?.close()
        EventLoop.exit(code: code)
    }

    // MARK: - Input

    private func received(_ input: Console.Input) {
        switch input {
        case .line(let line):
            do throws(SimulationError) {
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
            carryOut(.accessory(number, .set(.talk, isPressed: isHeld))) { answer in
                printLine(answer == "ok" ? "button \(number) \(verb)" : answer)
            }
        default:
            guard let number = key.wholeNumberValue, buttons.indices.contains(number - 1) else { return }
            if isHeld { received(" ") }
            chosen = number
            printLine("button \(number): \(buttons[number - 1].stored.name)")
        }
    }

    // MARK: - Commands

    /// Answers exactly once, when the command has been carried out.
    private func carryOut(_ command: Command, answer: @escaping @EventLoop (String) -> Void) {
        do {
            switch command {
            case .accessory(let number, let command):
                return try carryOut(command, by: try accessory(number), answer)
            case .power(let isOn): try adapter().setPower(isOn)
            case .unplug: try present().unplug()
            case .plug: try present().plug()
            case .crash:
                try present().crash()
                daemon = nil
            case .revive: return revive(answer)
            case .quit: end(0)
            }
            answer("ok")
        } catch {
            answer("error: \(error)")
        }
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

    private func present() throws(SimulationError) -> SimulatedDaemon {
        guard let daemon else {
            throw SimulationError(description: "bluetoothd is not running; use revive")
        }
        return daemon
    }

    private func adapter() throws(SimulationError) -> SimulatedAdapter {
        guard let adapter = try present().adapter else {
            throw SimulationError(description: "there is no adapter; use plug")
        }
        return adapter
    }

    private var buttons: [VirtualButton] { accessories.compactMap { $0 as? VirtualButton } }

    private func accessory(_ number: Int) throws(SimulationError) -> any VirtualAccessory {
        guard let accessory = accessories.first(where: { $0.number == number }) else {
            throw SimulationError(description: "there is no button \(number), only 1 to \(buttons.count)")
        }
        return accessory
    }
}

/// Prints an error on standard error.
func printError(_ text: String) {
    let line = "ptt-sim: \(text)\n"
    // If standard error cannot be written, there is no place left to report that.
    _ = write(STDERR_FILENO, line, line.utf8.count)
}
