import Foundation
import Glibc

/// Lines for the person who runs this program. Names come from strangers: what a terminal would obey is left
/// out. So is a line for which there is no room, as in a terminal that is stopped: voice does not wait.
enum Output {
    private static let standardOutput = unblocked(STDOUT_FILENO)
    private static let standardError = unblocked(STDERR_FILENO)

    static func line(_ text: String) { write(text, to: standardOutput) }

    static func error(_ text: String) { write("ptt-mumble: \(text)", to: standardError) }

    /// - Returns: The characters of a text that may be in a line.
    static func printable(_ text: String) -> String {
        let hidden: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
        let shown = text.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) }
        return String(String.UnicodeScalarView(shown))
    }

    /// - Returns: The same pipe or terminal, opened again so that it does not block: of the descriptor itself
    ///   that would be so for all programs that share it. What is neither, or cannot be opened, as the
    ///   terminal of another user, stays as it is.
    private static func unblocked(_ descriptor: Int32) -> Int32 {
        // Only pipes, terminals and sockets have no position, and a socket cannot be opened again.
        guard lseek(descriptor, 0, SEEK_CUR) == -1, errno == ESPIPE else { return descriptor }
        let opened = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return opened < 0 ? descriptor : opened
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let line = Array("\(printable(text))\n".utf8)
        // For what is not opened again: a socket that has room has it for a line.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&room, 1, 0) == 1, room.revents & Int16(POLLOUT) != 0 else { return }
        // A line that cannot be written is no reason to end.
        _ = Glibc.write(descriptor, line, line.count)
    }
}
