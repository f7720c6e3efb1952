import EventLoop
import Glibc
package import Logging

/// Writes log records to standard error, one line each.
///
/// If standard error is connected to the journal, a line begins with its priority, for example `<6>`
/// (sd-daemon(3)); otherwise with the name of the level. What is not printable is escaped, so that no message
/// and no string from a peer can break out of its line, or be obeyed by the terminal that shows it.
package struct JournalLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]

    /// Returns true if a character may be written as it is. Line breaks, backslashes and quotation marks are
    /// escaped regardless.
    package typealias IsPrintable = @Sendable (Unicode.Scalar) -> Bool

    private let isJournal: Bool
    private let isPrintable: IsPrintable
    private let write: @Sendable (String) -> Void

    /// Lines begin with a priority if `isJournal`. `write` receives each line, including its newline.
    package init(
        isJournal: Bool,
        isPrintable: @escaping IsPrintable,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.isJournal = isJournal
        self.isPrintable = isPrintable
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
        var line = Self.prefix(of: event.level, isJournal)
        line += escaped(event.message.description, quoting: false, longest: longestMessage)
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            line += " \(escaped(key, quoting: true, longest: longestField))"
            line += "=\(escaped(value.description, quoting: true, longest: longestField))"
        }
        write(line + "\n")
    }

    fileprivate static func prefix(of level: Logger.Level, _ isJournal: Bool) -> String {
        isJournal ? "<\(level.priority)>" : "\(level): "
    }

    /// systemd passes the device and inode of the stream that it connected (systemd.exec(5),
    /// `$JOURNAL_STREAM`). The variable alone is not enough: it is inherited even where standard error has
    /// been redirected.
    fileprivate static let isStandardErrorJournal: Bool = {
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return Environment.variable("JOURNAL_STREAM") == "\(status.st_dev):\(status.st_ino)"
    }()
}

extension Logger {
    /// A logger that writes to standard error as ``JournalLogHandler`` does.
    ///
    /// - Parameters:
    ///   - label: The program's name.
    ///   - levelVariable: The environment variable with the lowest level to write, for example `debug`.
    ///   - isPrintable: The rule for what is escaped.
    /// - Returns: The logger. If the variable is not set, it writes `info` and above.
    package static func journal(
        _ label: String,
        levelVariable: String,
        isPrintable: @escaping JournalLogHandler.IsPrintable
    ) -> Logger {
        let isJournal = JournalLogHandler.isStandardErrorJournal
        let prefix = JournalLogHandler.prefix(of: .warning, isJournal)
        let handler = JournalLogHandler(isJournal: isJournal, isPrintable: isPrintable) { line in
            LineOutput.standardError.write(line) {
                "\(prefix)dropped \($0) lines because nothing read them\n"
            }
        }
        // The label is not written: the journal knows the unit.
        var logger = Logger(label: label) { _ in handler }
        if let level = Environment.variable(levelVariable).flatMap({ Level(rawValue: $0) }) {
            logger.logLevel = level
        }
        return logger
    }
}

extension Logger.Level {
    /// The priorities of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

/// In bytes. With a few fields it stays below the length that a pipe writes atomically.
private let longestMessage = 3072
private let longestField = 512

extension JournalLogHandler {
    private func escaped(_ text: String, quoting: Bool, longest: Int) -> String {
        if text.utf8.count < longest, isPlain(text, quoting: quoting) { return text }
        var result = ""
        var needsQuotes = text.isEmpty
        for scalar in text.unicodeScalars {
            guard result.utf8.count < longest else {
                result += "…"
                break
            }
            switch scalar {
            case "\n": result += "\\n"
            case "\\" where quoting: result += "\\\\"
            case "\"" where quoting:
                result += "\\\""
                needsQuotes = true
            case _ where !isPrintable(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                if scalar == " " || scalar == "=" { needsQuotes = true }
                result.unicodeScalars.append(scalar)
            }
        }
        return quoting && needsQuotes ? "\"\(result)\"" : result
    }
}

/// Returns true if nothing needs escaping or quotes, as in most texts, which then need not be examined by
/// scalar.
private func isPlain(_ text: String, quoting: Bool) -> Bool {
    guard !text.isEmpty else { return false }
    return text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "\\"): !quoting
        case _: (0x21..<0x7F).contains(byte)
        }
    }
}
