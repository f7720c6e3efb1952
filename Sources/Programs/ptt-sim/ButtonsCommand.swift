import ArgumentParser
import EventLoop

struct ButtonsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buttons",
        abstract: "Bluetooth buttons behind a simulated BlueZ on a private bus.",
        discussion: """
            Prints "ready ADDRESS" as soon as it is ready. Commands are lines on standard input, each answered with "ok" \
            or "error: …" after it has been carried out. The simulation ends with the input, but not before the end of \
            its script. N is the number of a button, by default 1.

              press [N] [ROLE]      release [N] [ROLE]
                                    talk, emergency, second-talk, channel-up …
              raw [N] HEX [INPUT]   notify these bytes; the second input is 2. Of a button
                                    that advertises: its service data of BTHome
              flood [N] COUNT       notify every byte but 01 in turn, 1,000 a second
              disconnect [N]        disconnect, and continue to advertise
              sleep [N]             disconnect, and be silent until wake [N]
              vanish [N]            be out of reach until return [N]: the link
                                    is lost after a second
              sound [N] on|off      a link of classic Bluetooth beside that of the button
              hide [N]              advertise a private address until it is bonded
              stored [N] HEX        answer a read with this
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
            The name or the path of a button's accessory file, with :NAME for another name of the device. \
            Repeatable. Without any, and without a microphone: ffe0, aina and nordic-led-button.
            """
    )
    var chosenButtons: [String] = []

    @Option(
        name: .customLong("microphone"),
        help: "The same for a serial speaker microphone, numbered after the buttons. Repeatable."
    )
    var chosenMicrophones: [String] = []

    @Flag(help: "The buttons are paired, trusted and connected from the start.")
    var known = false

    @Flag(
        help:
            "bluetoothd offers its experimental interfaces, without which nothing that is advertised is received."
    )
    var experimental = false

    @Option(help: "Seconds from a new link until its services are resolved.")
    var servicesAfter = 0.1

    @Option(help: "A file with lines such as \"0.5s press 1\": times since ready, and commands.")
    var script: String?

    func validate() throws {
        let count = chosenButtons.count + chosenMicrophones.count
        guard (0...9).contains(count) else {
            throw ValidationError("There may be one to nine buttons, not \(count).")
        }
        guard (0...60).contains(servicesAfter) else {
            throw ValidationError("--services-after must be 0 to 60 seconds.")
        }
    }

    func run() throws {
        let steps = try script.map { try Script.read($0) } ?? []
        let isDefault = chosenButtons.isEmpty && chosenMicrophones.isEmpty
        let specifiedButtons = try (isDefault ? AccessorySpecification.defaults : chosenButtons).map {
            try AccessorySpecification.button($0)
        }
        let specifiedMicrophones = try chosenMicrophones.map { try AccessorySpecification.microphone($0) }
        let resolveTime = Duration.seconds(servicesAfter)
        let code = EventLoop.runDaemon {
            let buttons: [any VirtualAccessory] = specifiedButtons.enumerated().map { index, specification in
                VirtualButton(index + 1, specification, isKnown: known, resolveTime: resolveTime)
            }
            let microphones: [any VirtualAccessory] = specifiedMicrophones.enumerated().map { index, chosen in
                VirtualSerialMicrophone(buttons.count + index + 1, chosen.0, chosen.1, isKnown: known)
            }
            let simulation = Simulation(
                bus: bus,
                accessories: buttons + microphones,
                steps: steps,
                isExperimental: experimental
            )
            EventLoop.start { await simulation.start() }
            return { simulation.end(0) }
        } failed: {
            printError("\($0)")
        }
        throw ExitCode(code)
    }
}
