import EventLoop
import Glibc

/// A program that takes part in the benchmark. It ends with this process, however that ends.
@EventLoop
final class Child {
    let processID: Int32
    let name: String

    /// - Parameters:
    ///   - arguments: The program, by path or by name in `$PATH`, and its arguments.
    ///   - input: Its standard input; `/dev/null` if nil.
    ///   - output: Its standard output; the log if nil.
    ///   - log: The file that gets its standard error.
    ///   - environment: In addition to this process's own.
    /// - Throws: If it cannot be started.
    init(
        _ arguments: [String],
        input: Int32? = nil,
        output: Int32? = nil,
        log: String,
        environment: [String: String] = [:]
    ) throws(SystemError) {
        name = arguments[0].split(separator: "/").last.map(String.init) ?? arguments[0]
        let assignments = environment.map { "\($0)=\($1)" }
        // setpriv(1) lets the kernel end the program when this process dies.
        let words = ["setpriv", "--pdeathsig", "KILL", "env"] + assignments + arguments
        processID = try Self.spawn(words, input, output, log)
    }

    func end() {
        kill(processID, SIGKILL)
        _ = waitpid(processID, nil, 0)  // Cannot fail: it is our child, and is waited for once.
    }

    /// It stays where it is, and does nothing.
    func stop() { kill(processID, SIGSTOP) }

    func goOn() { kill(processID, SIGCONT) }

    /// Whether it still runs; one that has ended stays a zombie until ``end()``.
    var isRunning: Bool {
        var information = siginfo_t()
        // With WNOWAIT it stays waitable for ``end()``.
        let result = waitid(P_PID, id_t(processID), &information, WEXITED | WNOHANG | WNOWAIT)
        return result == 0 && information.si_signo == 0
    }

    /// Runs a program to its end, and blocks the loop meanwhile.
    ///
    /// - Returns: The time from its start to its end.
    /// - Throws: ``Unmeasurable`` if it fails.
    static func time(_ arguments: [String]) throws -> Duration {
        let start = MonotonicInstant.now
        let processID = try spawn(arguments, nil, nil, "/dev/null")
        var status: Int32 = 0
        guard waitpid(processID, &status, 0) == processID, status == 0 else {
            throw Unmeasurable("\(arguments.joined(separator: " ")) failed")
        }
        return MonotonicInstant.now - start
    }

    private static func spawn(_ arguments: [String], _ input: Int32?, _ output: Int32?, _ log: String)
        throws(SystemError) -> Int32
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, output ?? 2, 1)
        // The signals that this process takes through its loop are blocked, which a child would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = arguments.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var processID: Int32 = 0
        let result = posix_spawnp(&processID, arguments[0], &actions, &attributes, words, environ)
        guard result == 0 else { throw SystemError("start \(arguments.joined(separator: " "))", result) }
        return processID
    }
}

/// Something that the benchmark needs is missing or does not work.
struct Unmeasurable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
