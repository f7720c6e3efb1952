import ChildProcess
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// A `pttd` to be attacked, in a directory of its own.
@EventLoop
final class AttackedCoreFixture {
    let child: ChildProcess
    private let stack: StackFixture
    private let directory: String
    private let log: String
    /// The reading end of a log that is a pipe: without one its writer would be killed.
    private var unreadLog: OwnedDescriptor?

    /// Starts it; returns when it answers and is connected to the sound server.
    ///
    /// - Parameters:
    ///   - stack: Lends its buses and its sound server.
    ///   - number: One that no other one has.
    ///   - microphone: The one that it is to use; the user's if nil.
    ///   - isLogRead: If not, the log is a pipe that is soon full.
    /// - Throws: If it cannot be started.
    init(_ stack: StackFixture, number: Int, microphone: String?, isLogRead: Bool) async throws {
        self.stack = stack
        directory = "\(stack.directory)/attacked-\(number)"
        log = directory + "/log"
        guard mkdir(directory, 0o700) == 0 else { throw SystemError("create \(directory)") }
        if let microphone { try Self.configure(microphone, directory + "/pushtotalk") }
        // The clients in this process find their sockets by it.
        setenv("XDG_RUNTIME_DIR", directory, 1)
        if !isLogRead {
            guard mkfifo(log, 0o600) == 0 else { throw SystemError("create \(log)") }
            let opened = open(log, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard opened >= 0 else { throw SystemError("open \(log)") }
            unreadLog = OwnedDescriptor(adopting: opened)
        }
        let environment = ["XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory, "HOME": directory]
        child = try stack.start([stack.programs + "/pttd"], environment: environment, log: log)
        try await stack.appearance(of: directory + "/pushtotalk/audio")
        try await stack.appearance(of: directory + "/pushtotalk/core")
        try await audioIsReady()
    }

    private static func configure(_ microphone: String, _ path: String) throws(SystemError) {
        guard mkdir(path, 0o700) == 0, let file = fopen(path + "/pttd.toml", "we") else {
            throw SystemError("create \(path)/pttd.toml")
        }
        let isWritten = fputs("microphone = \"\(microphone)\"\n", file) >= 0
        guard fclose(file) == 0, isWritten else { throw SystemError("write \(path)/pttd.toml") }
    }

    func end() {
        stack.end(child)
        setenv("XDG_RUNTIME_DIR", stack.directory, 1)
    }

    /// How many lines it has logged; nil if the log is not read.
    func logLines() throws(SystemError) -> Int? {
        guard unreadLog == nil else { return nil }
        guard let file = fopen(log, "re") else { throw SystemError("read \(log)") }
        defer { _ = fclose(file) }  // Only read from.
        var bytes = [UInt8](repeating: 0, count: 65536)
        var lines = 0
        while true {
            let count = fread(&bytes, 1, bytes.count, file)
            guard count > 0 else { return lines }
            lines += bytes[..<count].count { $0 == UInt8(ascii: "\n") }
        }
    }

    private func audioIsReady() async throws {
        while true {
            // A socket appears before its server listens.
            guard let connection = try? ServiceConnection.core() else {
                await pause(.milliseconds(10))
                continue
            }
            defer { connection.close() }
            while !(try await connection.status().isAudioServerReady) { await pause(.milliseconds(10)) }
            return
        }
    }
}
