import Glibc
import Synchronization

/// Writes lines to a descriptor that may be shared, and never waits: whoever reads may have been stopped. What is not
/// taken is counted, and the count written when there is room again.
///
/// The descriptor stays as it is: non-blocking would be a property of everybody's who shares it.
package final class LineOutput: Sendable {
    /// What a pipe with room takes at once and whole (pipe(7)).
    static let longestLine = 4096

    private struct State {
        /// The end of a line that was taken in part.
        var rest: [UInt8] = []
        var leftOut = 0
    }

    private let descriptor: Int32
    private let isSocket: Bool
    private let state = Mutex(State())

    /// For standard error.
    package static let standardError = LineOutput(STDERR_FILENO)

    /// - Parameter descriptor: Stays open for as long as this is used.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var status = stat()
        isSocket = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// - Parameters:
    ///   - line: With its end. Of a longer line than a pipe takes whole, the beginning is written.
    ///   - notice: The line that tells how many lines were left out before.
    package func write(_ line: String, notice: (Int) -> String) {
        state.withLock { state in
            guard finish(&state), state.leftOut == 0 || tell(notice(state.leftOut), &state),
                put(Self.shortened(line), &state)
            else {
                state.leftOut += 1
                return
            }
        }
    }

    /// Writes the rest of a line that was taken in part.
    private func finish(_ state: inout State) -> Bool {
        state.rest.isEmpty || put(state.rest, &state) && state.rest.isEmpty
    }

    private func tell(_ notice: String, _ state: inout State) -> Bool {
        guard put(Array(notice.utf8), &state) else { return false }
        state.leftOut = 0
        return state.rest.isEmpty
    }

    /// - Returns: Whether all was taken, or a part, whose rest is kept.
    private func put(_ bytes: [UInt8], _ state: inout State) -> Bool {
        let count = taken(bytes)
        guard count > 0 else { return false }
        state.rest = Array(bytes[count...])
        return true
    }

    private func taken(_ bytes: [UInt8]) -> Int {
        if isSocket { return send(descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL)) }
        var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&readiness, 1, 0) == 1, readiness.revents & Int16(POLLOUT) != 0 else { return -1 }
        return Glibc.write(descriptor, bytes, bytes.count)
    }

    private static func shortened(_ line: String) -> [UInt8] {
        let bytes = Array(line.utf8)
        guard bytes.count > longestLine else { return bytes }
        let end = Array("…\n".utf8)
        // Not in the middle of a character.
        let kept = bytes[..<(longestLine - end.count)]
        return kept.dropLast(kept.reversed().prefix { $0 & 0xC0 == 0x80 }.count + 1) + end
    }
}
