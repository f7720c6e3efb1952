import Glibc
import Synchronization

/// Writes lines to a descriptor that may be shared, and never blocks, even if the reader is stopped. Lines
/// that cannot be written are dropped and counted, and the count is written as soon as there is room again.
package final class LineOutput: Sendable {
    /// The size up to which writes to a pipe are atomic (pipe(7)).
    static let longestLine = 4096

    private struct State {
        /// The rest of a line that was written in part.
        var rest: ArraySlice<UInt8> = []
        var dropped = 0
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    /// For standard error.
    package static let standardError = LineOutput(STDERR_FILENO)

    /// - Parameter descriptor: Must stay open for as long as this object is used.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes a line, including its newline, truncated to ``longestLine``. `notice` makes the line that
    /// reports how many lines were dropped before.
    package func write(_ line: String, notice: (Int) -> String) {
        state.withLock { state in
            guard finish(&state), state.dropped == 0 || writeNotice(notice(state.dropped), &state),
                put(Self.shortened(line)[...], &state)
            else {
                state.dropped += 1
                return
            }
        }
    }

    /// Writes the rest of a line that was written in part.
    private func finish(_ state: inout State) -> Bool {
        state.rest.isEmpty || put(state.rest, &state) && state.rest.isEmpty
    }

    private func writeNotice(_ notice: String, _ state: inout State) -> Bool {
        guard put(Array(notice.utf8)[...], &state) else { return false }
        state.dropped = 0
        return state.rest.isEmpty
    }

    /// - Returns: True if at least a part was written; the rest of it is stored.
    private func put(_ bytes: ArraySlice<UInt8>, _ state: inout State) -> Bool {
        // A line that cannot be written is counted like one without room: there is no other place to report
        // it.
        guard let count = try? ImmediateOutput.write(bytes, to: descriptor), count > 0 else { return false }
        state.rest = bytes.dropFirst(count)
        return true
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
