import ArgumentParser
import DBus
import EventLoop

struct ButtonsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buttons",
        abstract: "Bluetooth buttons behind a simulated BlueZ on a private bus.",
        discussion: """
            Prints "ready ADDRESS" as soon as it is ready. Commands are lines on standard input, each answered with "ok" \
            or "error: …" after it has been carried out. The simulation ends with the input, but not before the end of \
            its script. N is the number of a button, by default 1.

              press [N]             release [N]
              raw [N] HEX           notify these bytes
              disconnect [N]        disconnect, and continue to advertise
              sleep [N]             disconnect, and be silent until wake [N]
              vanish [N]            be out of reach until return [N]: the link
                                    is lost after a second
              on-subscribe [N] HEX  notify this as soon as notifications are
                                    turned on
              page [N]              a microphone connects by itself
              close-port [N]        a microphone closes its serial port
              refuse-port [N] COUNT a microphone refuses the next COUNT
                                    connections to its port
              power on|off          power the adapter on or off
              unplug                plug
              crash                 kill bluetoothd, until revive
              quit

            On a terminal: the space bar presses and releases, digits choose a button, q quits.
            """
    )

    @Option(help: "The D-Bus address of the private bus, for example unix:path=/run/some/bus.")
    var bus: String

    @Option(
        name: .customLong("button"),
        help: """
            A button: ffe0, aina or nordic, with :NAME for another name. Repeatable. Without any, and without a \
            microphone, one of each.
            """
    )
    var chosenButtons: [ButtonSpecification] = []

    @Option(
        name: .customLong("microphone"),
        help: "The name of a serial speaker microphone, numbered after the buttons. Repeatable."
    )
    var microphones: [String] = []

    /// One of each kind, unless something else was asked for.
    private var buttons: [ButtonSpecification] {
        guard chosenButtons.isEmpty, microphones.isEmpty else { return chosenButtons }
        return ButtonKind.allCases.map { ButtonSpecification(kind: $0) }
    }

    @Flag(help: "The buttons are paired, trusted and connected from the start.")
    var known = false

    @Option(help: "Seconds from a new link until its services are resolved.")
    var servicesAfter = 0.1

    @Option(help: "A file with lines such as \"0.5s press 1\": times since ready, and commands.")
    var script: String?

    func validate() throws {
        guard (1...9).contains(buttons.count + microphones.count) else {
            let count = buttons.count + microphones.count
            throw ValidationError("There may be one to nine buttons, not \(count).")
        }
        guard (0...60).contains(servicesAfter) else {
            throw ValidationError("--services-after must be 0 to 60 seconds.")
        }
    }

    func run() throws {
        let steps = try script.map { try Script.read($0) } ?? []
        let (bus, known, names) = (bus, known, microphones)
        let (specifications, resolveTime) = (buttons, Duration.seconds(servicesAfter))
        let code = EventLoop.run {
            let buttons = specifications.enumerated().map { index, specification in
                VirtualButton(index + 1, specification, resolveTime: resolveTime)
            }
            let microphones = names.enumerated().map { index, name in
                VirtualMicrophone(buttons.count + index + 1, name: name)
            }
            let simulation = Simulation(
                bus: bus,
                buttons: buttons,
                microphones: microphones,
                known: known,
                steps: steps
            )
            Simulation.running = simulation
            await simulation.start()
        }
        throw ExitCode(code)
    }
}

extension ButtonSpecification: ExpressibleByArgument {
    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        guard let word = parts.first, let kind = ButtonKind(rawValue: String(word)) else { return nil }
        self.init(kind: kind, name: parts.count == 2 ? String(parts[1]) : nil)
    }

    var defaultValueDescription: String { kind.rawValue }
}
