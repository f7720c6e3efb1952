import CSpawn
package import EventLoop
import Glibc

/// A program that this process has started. It is killed when this object is dropped, and when this process
/// ends, however that happens: the kernel does it (`PR_SET_PDEATHSIG` in prctl(2)). Only a program that gains
/// privileges, as sudo(8) does, escapes the kernel's signal.
///
/// swift-subprocess cannot take its place: on Linux it starts programs with `posix_spawn`, which has no
/// attribute for the parent's death, a program of its ends with a closure and not with an owner, and it reads
/// on threads of its own beside the event loop.
@EventLoop
package final class ChildProcess {
    /// The other end of one of the program's standard streams.
    package enum Stream: Equatable, Sendable {
        /// `/dev/null`.
        case nothing
        /// The same stream of this process.
        case inherited
        /// A descriptor, which remains the caller's.
        case descriptor(Int32)
        /// A file. Output is appended to it; it is created with mode 0600 if it does not exist.
        case file(String)
        /// This object: ``write(_:)``, and the handler of lines.
        case owner
    }

    /// The longest line that is passed on whole, in bytes.
    package nonisolated static let lineLimit = 1 << 20

    package nonisolated let processID: Int32
    /// The file name of the program, for people.
    package nonisolated let name: String
    /// The exit status, or the negative number of the signal that ended it; nil while it runs.
    package private(set) var status: Int32?

    private let line: @EventLoop (String) -> Void
    private let ended: @EventLoop (Int32) -> Void
    private let socket: OwnedDescriptor
    private let end: OwnedDescriptor
    private var partial: [UInt8] = []
    private var reading: DescriptorSource?
    private var ending: DescriptorSource?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, by its path or its name in `$PATH`, and its arguments.
    ///   - environment: Variables that differ from this process's own; nil removes one.
    ///   - input: Its standard input.
    ///   - output: Its standard output.
    ///   - errors: Its standard error.
    ///   - line: Called for each line that it writes to this object, without its end. What exceeds
    ///     ``lineLimit`` comes in pieces.
    ///   - ended: Called once with ``status`` after its last line, unless this object killed it.
    /// - Throws: If it cannot be started, also if there is no such program.
    package init(
        _ arguments: [String],
        environment: [String: String?] = [:],
        input: Stream = .nothing,
        output: Stream = .inherited,
        errors: Stream = .inherited,
        line: @escaping @EventLoop (String) -> Void = { _ in },
        ended: @escaping @EventLoop (Int32) -> Void = { _ in }
    ) throws(SystemError) {
        self.line = line
        self.ended = ended
        name = arguments[0].split(separator: "/").last.map(String.init) ?? arguments[0]
        let (near, far) = try UnixSocket.pair(.stream)
        socket = OwnedDescriptor(adopting: near)
        let theirs = OwnedDescriptor(adopting: far)
        // Programs expect ordinary, blocking standard streams.
        _ = fcntl(far, F_SETFL, fcntl(far, F_GETFL) & ~O_NONBLOCK)
        let (processID, end) = try Self.spawn(
            arguments,
            environment: environment,
            [input, output, errors],
            owner: theirs.value
        )
        self.processID = processID
        self.end = OwnedDescriptor(adopting: end)
        ending = try DescriptorSource(end, .readable) { [weak self] _ in self?.reap() }
        guard [output, errors].contains(.owner) else { return }
        reading = try DescriptorSource(near, .readable) { [weak self] _ in self?.read() }
    }

    isolated deinit { kill() }

    /// Writes a line to its standard input, with the end of the line if `isTerminated`. A program that has
    /// gone, or does not read, loses it.
    ///
    /// - Returns: True if it was written.
    @discardableResult
    package func write(_ line: String, isTerminated: Bool = true) -> Bool {
        let bytes = Array((isTerminated ? line + "\n" : line).utf8)
        return send(socket.value, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Closes its standard input.
    package func closeInput() { _ = shutdown(socket.value, Int32(SHUT_WR)) }

    /// Sends a signal, if it still runs.
    package func signal(_ signal: Int32) {
        if status == nil { _ = Glibc.kill(processID, signal) }
    }

    /// Ends it as a crash would, and returns when it has gone. Nothing more is called.
    package func kill() {
        ending?.cancel()
        reading?.cancel()
        // One that has other privileges cannot be killed, and is not waited for.
        guard status == nil, Glibc.kill(processID, SIGKILL) == 0 else { return }
        status = Self.wait(for: processID)
    }

    /// Runs a program to its end without output, and blocks the loop meanwhile.
    ///
    /// - Returns: Its exit status, or the negative number of the signal that ended it.
    /// - Throws: If it cannot be started.
    package static func run(_ arguments: [String]) throws(SystemError) -> Int32 {
        let (processID, end) = try spawn(arguments, [.nothing, .nothing, .nothing], owner: -1)
        _ = close(end)  // close(2): the descriptor is gone whatever it returns.
        return wait(for: processID)
    }

    // MARK: - Its output and its end

    /// - Returns: True if there may be more.
    @discardableResult
    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket.value, &buffer, buffer.count, 0)
        guard count > 0 else {
            // Otherwise there is nothing at present.
            if count == 0 || errno != EAGAIN { reading?.cancel() }
            return false
        }
        var start = 0
        var unsearched = partial.count
        partial += buffer[..<count]
        while status == nil, let end = partial[unsearched...].firstIndex(of: UInt8(ascii: "\n")) {
            line(String(decoding: partial[start..<end], as: UTF8.self))
            start = end + 1
            unsearched = start
        }
        partial.removeSubrange(..<start)
        if partial.count >= Self.lineLimit { passOnPartial() }
        return true
    }

    private func passOnPartial() {
        let bytes = partial
        partial = []
        line(String(decoding: bytes, as: UTF8.self))
    }

    private func reap() {
        ending?.cancel()
        if reading != nil {
            // Processes that it has started may still hold the socket; they are not waited for.
            while status == nil, read() {}
            reading?.cancel()
            if !partial.isEmpty { passOnPartial() }
        }
        // A handler may have killed it.
        guard status == nil else { return }
        let status = Self.wait(for: processID)
        self.status = status
        ended(status)
    }

    private static func wait(for processID: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }
}
