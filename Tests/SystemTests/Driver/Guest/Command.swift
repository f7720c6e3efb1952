import EventLoop
import Glibc

/// A program of the guest, and what it prints. It is killed when it is dropped.
@EventLoop
final class Command {
    let name: String
    let processID: Int32
    private(set) var output = ""
    /// The exit status, or the negative number of the signal that ended it.
    private(set) var status: Int32?

    private let descriptor: OwnedDescriptor
    private var reading: DescriptorSource?

    /// Starts a program by its path or its name in `$PATH`.
    init(_ arguments: [String]) throws {
        let (near, far) = try UnixSocket.pair(.stream).release()
        defer { _ = close(far) }
        descriptor = OwnedDescriptor(adopting: near)
        // The program expects an ordinary, blocking output.
        _ = fcntl(far, F_SETFL, fcntl(far, F_GETFL) & ~O_NONBLOCK)
        name = arguments.joined(separator: " ")
        processID = try Self.spawn(arguments, output: far)
        reading = try DescriptorSource(near, .readable) { [weak self] _ in self?.read() }
    }

    isolated deinit {
        // Before the descriptor closes with this object.
        reading?.cancel()
        if status == nil { _ = Glibc.kill(processID, SIGKILL) }
    }

    /// Runs a program to its end.
    ///
    /// - Returns: Its exit status and what it printed.
    static func run(_ arguments: [String], within limit: Duration = patience) async throws -> (
        status: Int32, output: String
    ) {
        let command = try Command(arguments)
        return (try await command.end(within: limit), command.output)
    }

    /// Runs a program that must succeed, and gives what it printed.
    @discardableResult
    static func output(of arguments: [String], within limit: Duration = patience) async throws -> String {
        let (status, output) = try await run(arguments, within: limit)
        guard status == 0 else {
            throw Failure("`\(arguments.joined(separator: " "))` ended with \(status): \(output)")
        }
        return output
    }

    func signal(_ signal: Int32) {
        if status == nil { _ = Glibc.kill(processID, signal) }
    }

    /// Waits for the end.
    @discardableResult
    func end(within limit: Duration = patience) async throws -> Int32 {
        try await until("`\(name)` ends", within: limit) { [self] in status != nil }
        return status ?? 0
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor.value, &buffer, buffer.count, 0)
        if count > 0 {
            output += String(decoding: buffer[..<count], as: UTF8.self)
        } else {
            reap()
        }
        Sightings.somethingHappened()
    }

    /// Its output is closed, so that it has ended or is about to.
    private func reap() {
        reading?.cancel()
        reading = nil
        var code: Int32 = 0
        while waitpid(processID, &code, 0) < 0, errno == EINTR {}
        let signal = code & 0x7f
        status = signal == 0 ? (code >> 8) & 0xff : -signal
    }

    private static func spawn(_ arguments: [String], output: Int32) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)
        var words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var processID: Int32 = 0
        let result = posix_spawnp(&processID, arguments[0], &actions, nil, words, environ)
        guard result == 0 else { throw SystemError("start \(arguments[0])", result) }
        return processID
    }
}
