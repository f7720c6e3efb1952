import ArgumentParser
import EventLoop

struct HeadsetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "headset",
        abstract: "A wired headset, created with uinput: for the whole system a USB device like any other.",
        discussion: """
            Prints "ready /dev/input/eventN" as soon as it is plugged in. Commands are lines on standard input, each \
            answered with "ok" or "error: …" after it has been carried out. The end of the input unplugs the headset and \
            ends the simulation. KEY is play, next, up or down, by default play.

              press [KEY]           release [KEY]
              tap [KEY]             press and release 100 ms later
              unplug                plug
              quit

            On a terminal: the space bar taps play, u unplugs and plugs, q quits.

            /dev/uinput belongs to root: run this with sudo, after "modprobe uinput" if it does not exist.
            """
    )

    @Option(help: "The name of the device. The udev rule recognises it by \"Headset\".")
    var name = "PTT Headset"

    func validate() throws {
        guard (1...79).contains(name.utf8.count) else {
            throw ValidationError("--name must have 1 to 79 bytes.")
        }
    }

    func run() throws {
        let code = EventLoop.runDaemon {
            let simulation = try HeadsetSimulation(name: name)
            return { simulation.end(0) }
        } failed: {
            printError("\($0); see ptt-sim help headset")
        }
        throw ExitCode(code)
    }
}
