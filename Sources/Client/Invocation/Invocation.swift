import Glibc
import PTTMessages

/// The command line of a program without commands: a daemon, or an application that systemd starts.
///
/// It has the two options that every program has. The command lines with commands are ArgumentParser's, which
/// a daemon leaves out because of its size in memory.
package struct Invocation: Sendable {
    /// The answer to the arguments of a process.
    package enum Answer: Equatable {
        case run
        /// Text for standard output; the program ends with success.
        case text(String)
        /// Text for standard error; the program ends with `EX_USAGE`, 64.
        case wrongUsage(String)
    }

    private let program: String
    private let abstract: String
    private let debugLog: String?

    /// - Parameters:
    ///   - program: The file name of the program.
    ///   - abstract: Its purpose, in one sentence.
    ///   - debugLog: The effect of `PTT_LOG=debug`, in one sentence; nil if it does not read that.
    package init(program: String, abstract: String, debugLog: String? = nil) {
        self.program = program
        self.abstract = abstract
        self.debugLog = debugLog
    }

    /// - Parameter arguments: Without the name of the program.
    /// - Returns: The order to run, or the text to write instead.
    package func answer(to arguments: [String]) -> Answer {
        guard let first = arguments.first else { return .run }
        switch first {
        case "--help", "-h", "-help": return .text(help)
        case "--version" where arguments.count == 1: return .text(Product.version + "\n")
        default:
            let unknown = first == "--version" ? arguments[1] : first
            // A shell bounds an argument at 128 KiB, and a pipe may accept less at once.
            return .wrongUsage(
                "Error: Unexpected argument \(String(unknown.prefix(80)).traced)\nUsage: \(program)\n"
                    + "  See '\(program) --help' for more information.\n"
            )
        }
    }

    /// Returns if the program is to run, and ends the process otherwise. To be called before anything else:
    /// no session is needed to ask for a version, and a daemon that runs is not disturbed.
    package func handleArguments() {
        switch answer(to: Array(CommandLine.arguments.dropFirst())) {
        case .run:
            return
        case .text(let text):
            exit(Self.write(text, to: STDOUT_FILENO) ? EXIT_SUCCESS : EXIT_FAILURE)
        case .wrongUsage(let text):
            _ = Self.write(text, to: STDERR_FILENO)  // A failure could be reported nowhere else.
            exit(EX_USAGE)
        }
    }

    /// In one call: the texts are shorter than what a pipe accepts at once.
    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count }
    }

    private var help: String {
        let environment = debugLog.map { "\nENVIRONMENT:\n  PTT_LOG=debug         \($0)\n" } ?? ""
        return """
            OVERVIEW: \(abstract)

            USAGE: \(program)

            OPTIONS:
              --version             Show the version.
              -h, --help            Show help information.
            \(environment)

            """
    }
}
