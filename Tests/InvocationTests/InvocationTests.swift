import Invocation
import PTTMessages
import Testing

struct InvocationTests {
    private let invocation = Invocation(
        program: "pttd",
        abstract: "The core.",
        debugLog: "Log everything."
    )

    @Test func `a program without arguments runs`() {
        #expect(invocation.answer(to: []) == .run)
    }

    @Test func `the version is a line of its own`() {
        #expect(invocation.answer(to: ["--version"]) == .text("\(Product.version)\n"))
    }

    @Test(arguments: [["--help"], ["-h"], ["--help", "anything"]])
    func `the help names the options and the environment`(arguments: [String]) {
        let help = """
            OVERVIEW: The core.

            USAGE: pttd

            OPTIONS:
              --version             Show the version.
              -h, --help            Show help information.

            ENVIRONMENT:
              PTT_LOG=debug         Log everything.


            """
        #expect(invocation.answer(to: arguments) == .text(help))
    }

    @Test(arguments: [["start"], ["--verbose"], [""], ["--version", "x"], ["--Help"], ["\u{1b}[2J"]])
    func `any other argument is wrong usage`(arguments: [String]) throws {
        guard case .wrongUsage(let text) = invocation.answer(to: arguments) else {
            Issue.record("\(arguments) is accepted")
            return
        }
        #expect(text.hasPrefix("Error: Unexpected argument"))
        #expect(text.contains("pttd --help"))
        #expect(!text.contains("\u{1b}"))
    }
}
