import EventLoop
import Glibc

/// Standard input: lines, or single keys on a terminal.
@EventLoop
final class Console {
    enum Input {
        case line(String)
        case key(Character)
        case end
    }

    /// Longer lines are not commands.
    private static let maximumLine = 4096

    private let handler: @EventLoop (Input) -> Void
    private var source: DescriptorSource?
    private var partial: [UInt8] = []
    private var savedMode: termios?

    /// Starts to read. An input that cannot be watched, such as `/dev/null`, is ignored.
    init(handler: @escaping @EventLoop (Input) -> Void) {
        self.handler = handler
        enterKeyMode()
        source = try? DescriptorSource(STDIN_FILENO, .readable) { [weak self] _ in self?.read() }
    }

    isolated deinit { close() }

    var isTerminal: Bool { savedMode != nil }

    /// Restores the terminal.
    func close() {
        source?.cancel()
        source = nil
        if var mode = savedMode { tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode) }
        savedMode = nil
    }

    /// Single keys without echo. Output is unchanged, and Ctrl-C still raises SIGINT.
    private func enterKeyMode() {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
        savedMode = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        guard count > 0 else {
            if count < 0, errno == EINTR || errno == EAGAIN { return }
            source?.cancel()
            return handler(.end)
        }
        if isTerminal {
            for byte in buffer[..<count] { handler(.key(Character(UnicodeScalar(byte)))) }
        } else {
            append(buffer[..<count])
        }
    }

    private func append(_ bytes: ArraySlice<UInt8>) {
        partial += bytes
        while let end = partial.firstIndex(of: 10) {
            let line = String(decoding: partial[..<end], as: UTF8.self)
            partial.removeSubrange(...end)
            handler(.line(line))
        }
        if partial.count > Self.maximumLine { partial = Array("too-long".utf8) }
    }
}

/// Prints a line without buffering, also into a pipe.
func printLine(_ line: String) {
    print(line)
    fflush(nil)
}
