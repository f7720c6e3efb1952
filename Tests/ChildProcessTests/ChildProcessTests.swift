import CSpawn
import ChildProcess
import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct ChildProcessTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `lines come in order, and the end after the last of them`() async throws {
        let program = try Recorded(["sh", "-c", #"printf 'one\ntwo\nthree'; exit 3"#])
        #expect(try await program.seen.next(4) == ["one", "two", "three", "ended 3"])
        #expect(program.child.status == 3)
    }

    @Test @EventLoop func `what a program has on its standard input are the lines that were written`()
        async throws
    {
        let program = try Recorded(["cat"], input: .owner)
        program.child.write("one")
        program.child.write("tw", isTerminated: false)
        program.child.write("o")
        program.child.closeInput()
        #expect(try await program.seen.next(3) == ["one", "two", "ended 0"])
    }

    @Test @EventLoop func `a line without an end comes in pieces`() async throws {
        let program = try Recorded(["head", "-c", "3000000", "/dev/zero"])
        var lengths: [Int] = []
        while lengths.reduce(0, +) < 3_000_000 { lengths.append(try await program.seen.next().utf8.count) }
        #expect(lengths.reduce(0, +) == 3_000_000)
        #expect(lengths.allSatisfy { $0 <= ChildProcess.lineLimit + 4096 })
        #expect(try await program.seen.next() == "ended 0")
    }

    @Test @EventLoop func `a program that is missing is an error`() throws {
        #expect(throws: SystemError("start no-such-program -x", ENOENT)) {
            _ = try ChildProcess(["no-such-program", "-x"])
        }
    }

    @Test @EventLoop func `one that is killed reports nothing more, and its signal is its status`()
        async throws
    {
        let program = try Recorded(["cat"], input: .owner)
        program.child.kill()
        #expect(program.child.status == -SIGKILL)
        #expect(kill(program.child.processID, 0) == -1 && errno == ESRCH)
        let other = try Recorded(["sh", "-c", "kill -TERM $$"])
        #expect(try await other.seen.next() == "ended -15")
    }

    @Test @EventLoop func `one whose object is dropped is killed`() throws {
        let processID = try ChildProcess(["sleep", "60"]).processID
        #expect(kill(processID, 0) == -1 && errno == ESRCH)
    }

    @Test @EventLoop func `the kernel kills it with the thread that started it, and so with the process`()
        async throws
    {
        let started = AsyncQueue(of: (processID: Int32, end: Int32).self)
        try EventLoop.spawnBlocking(
            {
                let null = "/dev/null".withCString { strdup($0) }
                let streams = [cspawn_stream](
                    repeating: cspawn_stream(descriptor: -1, path: null, flags: O_RDWR),
                    count: 3
                )
                var end: Int32 = -1
                let processID = cspawn([strdup("sleep"), strdup("60"), nil], environ, streams, &end)
                return (processID, end)
            },
            completion: { started.add(($0, $1)) }
        )
        let (processID, end) = try await started.next()
        try #require(end >= 0)
        let isOver = AsyncQueue(of: Void.self)
        let source = try DescriptorSource(end, .readable) { _ in isOver.add(()) }
        try await isOver.next()
        source.cancel()
        _ = close(end)
        var status: Int32 = 0
        // Also because the exit tests of later suites would wait for it for ever.
        #expect(waitpid(processID, &status, 0) == processID)
        #expect(status == SIGKILL)
    }

    @Test @EventLoop func `no signal is blocked, and a broken pipe ends it`() async throws {
        let program = try Recorded(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])
        #expect(try await program.seen.next() == "SigBlk:\t0000000000000000")
        let line = try await program.seen.next()
        let ignored = try #require(UInt64(line.dropFirst("SigIgn:\t".count), radix: 16))
        #expect(ignored & 1 << UInt64(SIGPIPE - 1) == 0)
    }

    @Test @EventLoop func `its environment is this one's with the changes`() async throws {
        setenv("PTT_TEST_KEPT", "kept", 1)
        setenv("PTT_TEST_REMOVED", "there", 1)
        defer { for name in ["PTT_TEST_KEPT", "PTT_TEST_REMOVED"] { unsetenv(name) } }
        let program = try Recorded(
            ["sh", "-c", "env | grep ^PTT_TEST_ | sort"],
            environment: ["PTT_TEST_NEW": "a=b", "PTT_TEST_REMOVED": nil]
        )
        #expect(try await program.seen.next(3) == ["PTT_TEST_KEPT=kept", "PTT_TEST_NEW=a=b", "ended 0"])
    }

    @Test @EventLoop func `output is appended to a file, and errors can go elsewhere`() async throws {
        let path = "/tmp/ptt-child-\(getpid())"
        defer { unlink(path) }
        for _ in 0..<2 {
            let program = try Recorded(["sh", "-c", "echo out; echo error >&2"], output: .file(path))
            #expect(try await program.seen.next(2) == ["error", "ended 0"])
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "out\nout\n")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test @EventLoop func `a descriptor becomes its standard stream and remains the caller's`() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { _ = close(end) } }
        for word in ["one", "two"] {
            let program = try Recorded(["echo", word], output: .descriptor(ends[1]))
            #expect(try await program.seen.next() == "ended 0")
        }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(ends[0], &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) == "one\ntwo\n")
    }

    @Test @EventLoop func `a program that is stopped goes on when it is continued`() async throws {
        let program = try Recorded(["cat"], input: .owner)
        program.child.signal(SIGSTOP)
        program.child.write("line")
        #expect(program.child.status == nil)
        program.child.signal(SIGCONT)
        #expect(try await program.seen.next() == "line")
    }

    @Test @EventLoop func `a program is run to its end`() throws {
        #expect(try ChildProcess.run(["true"]) == 0)
        #expect(try ChildProcess.run(["sh", "-c", "exit 7"]) == 7)
    }
}

/// A program, and what is reported of it in order.
@EventLoop
private struct Recorded {
    let child: ChildProcess
    let seen = AsyncQueue(of: String.self)

    init(
        _ arguments: [String],
        environment: [String: String?] = [:],
        input: ChildProcess.Stream = .nothing,
        output: ChildProcess.Stream = .owner
    ) throws {
        child = try ChildProcess(
            arguments,
            environment: environment,
            input: input,
            output: output,
            errors: .owner,
            line: { [seen] in seen.add($0) },
            ended: { [seen] in seen.add("ended \($0)") }
        )
    }
}
