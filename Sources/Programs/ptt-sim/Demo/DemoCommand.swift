import ArgumentParser
import EventLoop
import Glibc

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract:
            "One press through a private stack: a simulated button, both daemons, a sound server with a tone, an application.",
        discussion: """
            The application is ptt-echo, which plays each transmission back. At a terminal the space bar presses and releases the button; elsewhere a script does, once. The \
            user's own session is not touched, and no process is left behind.
            """
    )

    @Option(help: "Where pttd, ptt-accessoryd and ptt-echo lie. The directory of ptt-sim if left out.")
    var programs: String?

    @Option(help: "The file that gets the echo, as the speaker played it.")
    var wav = "demo.wav"

    func run() throws {
        let programs = try programs ?? Environment.programDirectory()
        let wav = wav.hasPrefix("/") ? wav : Self.workingDirectory + "/" + wav
        let code = EventLoop.run {
            do throws(SystemError) {
                try await Demo(programs: programs, wav: wav).run()
            } catch {
                printError("\(error)")
                EventLoop.exit(code: EXIT_FAILURE)
            }
        }
        throw ExitCode(code)
    }

    private static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }
}
