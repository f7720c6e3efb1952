import ArgumentParser
import DBus
import EventLoop

struct ButtonsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buttons",
        abstract: "Bluetooth buttons behind a look-alike of BlueZ on a private bus.",
        discussion: """
            Prints "ready ADDRESS" when everything is in place. Commands are lines on standard input, each \
            answered by "ok" or "error: …" when it has been carried out; the end of the input ends the \
            simulation, after its script if there is one. N is the number of a button and 1 if left out.

              press [N]             release [N]
              raw [N] HEX           notify these bytes
              disconnect [N]        end the connection, go on advertising
              sleep [N]             end the connection, be silent until wake [N]
              vanish [N]            radio silence: the link is lost after a
                                    second; until return [N]
              on-subscribe [N] HEX  notify at once when notifications are
                                    turned on
              power on|off          the adapter, as do unplug and plug
              crash                 bluetoothd is killed, until revive
              quit

            On a terminal: the space bar presses and releases, digits choose a button, q quits.
            """
    )

    @Option(help: "The D-Bus address of the private bus, unix:path=/run/some/bus for example.")
    var bus: String

    @Option(
        name: .customLong("button"),
        help: "A button: ffe0, aina or nordic, with :NAME if it is to have another name. Repeatable."
    )
    var buttons: [ButtonSpecification] = ButtonKind.allCases.map { ButtonSpecification(kind: $0) }

    @Flag(help: "The buttons are paired, trusted and connected from the beginning.")
    var known = false

    @Option(help: "Seconds from a new link until its services are resolved.")
    var servicesAfter = 0.1

    @Option(help: "A file with lines such as \"0.5s press 1\": times since ready, and commands.")
    var script: String?

    func validate() throws {
        guard (1...9).contains(buttons.count) else {
            throw ValidationError("There can be one to nine buttons, not \(buttons.count).")
        }
        guard (0...60).contains(servicesAfter) else {
            throw ValidationError("--services-after takes 0 to 60 seconds.")
        }
    }

    func run() throws {
        let steps = try script.map { try Script.read($0) } ?? []
        let (bus, known) = (bus, known)
        let (specifications, resolveTime) = (buttons, Duration.seconds(servicesAfter))
        let code = EventLoop.run {
            let buttons = specifications.enumerated().map { index, specification in
                VirtualButton(index + 1, specification, resolveTime: resolveTime)
            }
            let simulation = Simulation(bus: bus, buttons: buttons, known: known, steps: steps)
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
