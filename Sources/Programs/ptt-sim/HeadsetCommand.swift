import ArgumentParser
import EventLoop
import Input

struct HeadsetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "headset",
        abstract: "A wired headset, made with uinput: for the whole system a USB device like any other.",
        discussion: """
            Prints "ready /dev/input/eventN" when it is plugged in. Commands are lines on standard input, each \
            answered by "ok" or "error: …" when it has been carried out; the end of the input ends the \
            simulation and unplugs it. KEY is play, next, up or down, and play if left out.

              press [KEY]           release [KEY]
              tap [KEY]             press and release 100 ms later
              unplug                plug
              quit

            On a terminal: the space bar taps play, u unplugs and plugs, q quits.

            /dev/uinput belongs to root, so that this runs with sudo, after "modprobe uinput" where it is missing.
            """
    )

    @Option(help: "What it calls itself. The udev rule knows it by \"Headset\".")
    var name = "PTT Headset"

    func validate() throws {
        guard (1...79).contains(name.utf8.count) else {
            throw ValidationError("--name takes 1 to 79 bytes.")
        }
    }

    func run() throws {
        let name = name
        let code = EventLoop.run {
            let simulation = HeadsetSimulation(name: name)
            HeadsetSimulation.running = simulation
            simulation.start()
        }
        throw ExitCode(code)
    }
}
