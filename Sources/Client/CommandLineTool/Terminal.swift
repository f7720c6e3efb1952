import EventLoop
import Glibc
package import JSON
import PTTMessages
import Synchronization

/// Standard output and standard error: all that `pttctl` writes, and `ptt-doctor` in its name.
///
/// Names of channels, people, devices and files come from others. A text is escaped here, wherever it comes
/// from and wherever it goes, and what a terminal is to obey has cases of its own.
package enum Terminal {
    package enum Part {
        /// Text within one line.
        case text(String)
        /// A text of this program itself over several lines, in which no text of others is.
        case ownText(String)
        case json(JSON)
        case endOfLine
        /// Erases the line of the cursor.
        case clearLine
        /// Erases the line of the cursor, those below it, and so many above it.
        case clearBelow(linesAbove: Int)
    }

    private static let output = TerminalOutput(STDOUT_FILENO)
    private static let errors = TerminalOutput(STDERR_FILENO)
    /// The line at the foot of the terminal; nil if there is none.
    private static let foot = Mutex<String?>(nil)

    /// Unbuffered: the reader of a pipe needs each line as soon as it is written.
    package static func print(_ line: String) {
        guard let foot = foot.withLock({ $0 }) else { return write(.text(line), .endOfLine) }
        write(.clearLine, .text(line), .endOfLine, .text(foot))
    }

    /// Prints a structure of ours, whose members JSON can represent.
    package static func print(_ value: some Encodable) {
        write(.json(.object(.encoding(value))), .endOfLine)
    }

    package static func printError(_ line: String) {
        let foot = foot.withLock { $0 }
        if foot != nil { write(.clearLine) }
        errors.write([.text("pttctl: \(line)"), .endOfLine])
        if let foot { write(.text(foot)) }
    }

    /// Shows a line at the foot of the terminal, above which lines and errors are printed from now on.
    ///
    /// - Parameters:
    ///   - text: In place of the line that is there; nil for none.
    ///   - erase: Erases that line.
    package static func showFoot(_ text: String?, after erase: Part = .clearLine) {
        foot.withLock { $0 = text }
        write(erase, .text(text ?? ""))
    }

    /// Prints the help, which is nobody's text but ours, or what was wrong with the arguments, which repeats
    /// them.
    static func printMessage(_ message: String, isError: Bool) {
        if message.isEmpty { return }
        if !isError { return write(.ownText(message), .endOfLine) }
        for line in message.split(separator: "\n", omittingEmptySubsequences: false) {
            errors.write([.text(String(line)), .endOfLine])
        }
    }

    package static func write(_ parts: Part...) {
        output.write(parts)
    }

    /// Asks the person: a line of standard input. A signal that the loop has watched before ends the process
    /// meanwhile.
    package static func readLine() -> String? {
        TerminalOutput.releaseSignals()
        return Swift.readLine()
    }

    /// True if something is written that the reader has no room for yet.
    package static var isWaiting: Bool { output.isWaiting }

    /// Calls the handler, on any thread, when standard output cannot be written any more.
    package static func whenFailed(_ handler: @escaping @Sendable () -> Void) {
        output.whenFailed(handler)
    }

    /// Waits until everything is written, or a signal ends the process.
    ///
    /// - Returns: True if all of standard output could be written.
    static func finish() -> Bool {
        let failure = output.finish()
        // Nobody misses what is not read, for example beyond the lines of head(1).
        if let failure, failure.code != EPIPE {
            printError("standard output cannot be written: \(failure.reason)")
        }
        // A failure of standard error could be reported nowhere else.
        _ = errors.finish()
        return failure == nil
    }
}

extension Terminal.Part {
    var bytes: [UInt8] {
        switch self {
        case .text(let text): Array(text.escaped.utf8)
        case .ownText(let text): Array(text.utf8)
        case .json(let json): Array(json.text.escaped(Self.jsonEscape).utf8)
        case .endOfLine: [0x0A]
        case .clearLine: Array("\r\u{1B}[K".utf8)
        case .clearBelow(let above): Array("\(above > 0 ? "\u{1B}[\(above)A" : "")\r\u{1B}[J".utf8)
        }
    }

    /// Outside of strings JSON has printable characters only.
    private static func jsonEscape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar)?.map { "\\u" + String(hexadecimal: UInt64($0), digits: 4) }.joined() ?? ""
    }
}

/// ``Terminal`` escapes what others have named. Where this module is imported, a deprecated function hides
/// the standard library's, and one that is unavailable does not.
@available(*, deprecated, message: "use Terminal.print")
package func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {}
