package import EventLoop
import Glibc

/// A program under test: lines in, lines out. It is killed when it is dropped.
@EventLoop
package final class TestProcess {
    package nonisolated let processID: Int32
    /// The lines that the program prints.
    package nonisolated let lines = AsyncQueue(of: String.self)

    /// Told when the last holder of the program's standard output has gone.
    private nonisolated let outputEnd = AsyncQueue(of: Void.self)
    private let socket: Int32
    private var partial: [UInt8] = []
    private var isReaped = false
    private var reading: DescriptorSource?

    /// Starts a program by its path or its name in `$PATH`; `environment` is added to this process's own.
    package init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let (near, far) = try UnixSocket.pair(.stream).release()
        defer { _ = close(far) }
        socket = near
        // The program expects an ordinary, blocking standard input and output.
        _ = fcntl(far, F_SETFL, fcntl(far, F_GETFL) & ~O_NONBLOCK)
        processID = try Self.spawn(arguments, environment, far)
        reading = try DescriptorSource(near, .readable) { [weak self] _ in self?.read() }
    }

    isolated deinit {
        kill()
        _ = close(socket)
    }

    /// Writes one line to the program's standard input, or just these characters.
    package func write(_ line: String, terminated: Bool = true) {
        let bytes = Array((terminated ? line + "\n" : line).utf8)
        precondition(Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
    }

    /// Writes one line and returns the next line that the program prints.
    package func ask(_ line: String) async throws -> String {
        write(line)
        return try await lines.next()
    }

    /// Closes the program's standard input.
    package func closeInput() { _ = shutdown(socket, Int32(SHUT_WR)) }

    package func signal(_ signal: Int32) {
        if !isReaped { _ = Glibc.kill(processID, signal) }
    }

    /// Ends the program as a crash would, and waits until it has gone.
    package func kill() {
        guard !isReaped else { return }
        signal(SIGKILL)
        _ = wait()
    }

    /// The end of a program that ends by itself.
    ///
    /// - Returns: Its exit status, or the negative number of the signal that ended it.
    /// - Throws: ``TimeLimitExceeded``.
    package func exitStatus() async throws -> Int32 {
        try await outputEnd.next()
        return wait()
    }

    /// As ``exitStatus()`` for a program that is ending already; blocks the loop.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        reading?.cancel()
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else {
            reading?.cancel()
            outputEnd.add(())
            return
        }
        partial += buffer[..<count]
        while let end = partial.firstIndex(of: 10) {
            lines.add(String(decoding: partial[..<end], as: UTF8.self))
            partial.removeSubrange(...end)
        }
    }

    private static func spawn(_ arguments: [String], _ environment: [String: String], _ socket: Int32) throws
        -> Int32
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, socket, 0)
        posix_spawn_file_actions_adddup2(&actions, socket, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of libdispatch block all signals, and a shell that inherits this waits for SIGCHLD forever.
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let assignments = environment.map { "\($0)=\($1)" }
        var words = (["/usr/bin/env"] + assignments + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var processID: Int32 = 0
        let result = posix_spawn(&processID, "/usr/bin/env", &actions, &attributes, words, environ)
        guard result == 0 else { throw SystemError("start \(arguments.first ?? "nothing")", result) }
        return processID
    }
}
