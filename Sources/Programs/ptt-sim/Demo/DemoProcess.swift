import EventLoop
import Glibc

/// A program of the demonstration. It ends with this process, however that ends.
@EventLoop
final class DemoProcess {
    let name: String
    private let log: String
    private let processID: Int32
    private let channel: OwnedDescriptor
    private var source: DescriptorSource?
    private var partial: [UInt8] = []

    /// - Parameters:
    ///   - name: For people.
    ///   - arguments: The program, by path or by name in `$PATH`, and its arguments.
    ///   - log: The file that gets its standard error, and its standard output if `line` is nil.
    ///   - line: Called for each line that it prints.
    /// - Throws: If it cannot be started.
    init(_ name: String, _ arguments: [String], log: String, _ line: (@EventLoop (String) -> Void)?)
        throws(SystemError)
    {
        self.name = name
        self.log = log
        let (near, far) = try UnixSocket.pair(.stream).release()
        let theirs = OwnedDescriptor(adopting: far)
        channel = OwnedDescriptor(adopting: near)
        // Programs expect ordinary, blocking standard streams.
        _ = fcntl(far, F_SETFL, fcntl(far, F_GETFL) & ~O_NONBLOCK)
        // setpriv(1) lets the kernel end the program when this process dies.
        processID = try Self.spawn(
            ["setpriv", "--pdeathsig", "KILL"] + arguments,
            log: log,
            channel: line == nil ? nil : theirs.value
        )
        guard let line else { return }
        source = try DescriptorSource(near, .readable) { [weak self] _ in self?.read(line) }
    }

    /// Sends a line to its standard input.
    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // A program that has gone shows by what does not follow.
        _ = send(channel.value, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// What it wrote to its log, at most 4 KiB.
    var complaints: String {
        guard let file = fopen(log, "re") else { return "" }
        defer { _ = fclose(file) }  // Only read from.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    func end() {
        source?.cancel()
        // Nothing of it is worth a slower end: its files are removed with it.
        kill(processID, SIGKILL)
        _ = waitpid(processID, nil, 0)  // Cannot fail: it is our child, and is waited for once.
    }

    /// Runs a program to its end; blocks the loop.
    static func run(_ arguments: [String]) -> Int32? {
        do throws(SystemError) {
            let processID = try spawn(arguments, log: "/dev/null", channel: nil)
            var status: Int32 = 0
            return waitpid(processID, &status, 0) == processID ? status : nil
        } catch {
            return nil
        }
    }

    private func read(_ line: @EventLoop (String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(channel.value, &buffer, buffer.count)
        guard count > 0 else {
            source?.cancel()
            return
        }
        partial += buffer[..<count]
        while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
            let text = String(decoding: partial[..<end], as: UTF8.self)
            partial.removeSubrange(...end)
            line(text)
        }
    }

    private static func spawn(_ arguments: [String], log: String, channel: Int32?) throws(SystemError)
        -> Int32
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The signals that this process takes through its loop are blocked, which a child would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        if let channel {
            posix_spawn_file_actions_adddup2(&actions, channel, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, channel ?? 2, 1)
        var words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var processID: Int32 = 0
        // The program's name is the first word, so that there is one.
        let result = posix_spawnp(&processID, arguments[0], &actions, &attributes, words, environ)
        guard result == 0 else { throw SystemError("start \(arguments.joined(separator: " "))", result) }
        return processID
    }
}
