import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct EventLoopTests {
    init() { withRunningLoop() }

    @Test func `a task on the loop runs on the loop's thread`() async {
        let inside = await Task { @EventLoop in EventLoop.assumeIsolated { true } }.value
        #expect(inside)
    }

    @Test @EventLoop func `blocking work runs on its own thread and completes on the loop`() async throws {
        let results = AsyncQueue(of: pthread_t.self)
        let (near, far) = try UnixSocket.pair(.stream)
        defer { for end in [near, far] { _ = close(end) } }
        // Blocks until the loop has sent a byte, after starting the work.
        _ = fcntl(far, F_SETFL, fcntl(far, F_GETFL) & ~O_NONBLOCK)
        try EventLoop.spawnBlocking {
            var byte: UInt8 = 0
            return recv(far, &byte, 1, 0) == 1 ? pthread_self() : 0
        } completion: { thread in
            EventLoop.assumeIsolated { results.add(thread) }
        }
        #expect(send(near, [1], 1, Int32(MSG_NOSIGNAL)) == 1)
        let thread = try await results.next()
        #expect(thread != 0 && pthread_equal(thread, pthread_self()) == 0)
    }

    @Test @EventLoop func `a signal is not delivered to a thread that does blocking work`() async throws {
        let results = AsyncQueue(of: Bool.self)
        var (signal, earlier, mask) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signal)
        sigaddset(&signal, SIGVTALRM)
        pthread_sigmask(SIG_UNBLOCK, &signal, &earlier)
        defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        try EventLoop.spawnBlocking {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            return sigismember(&mask, SIGVTALRM) == 1
        } completion: { isBlocked in
            EventLoop.assumeIsolated { results.add(isBlocked) }
        }
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        #expect(sigismember(&mask, SIGVTALRM) == 0)
        #expect(try await results.next())
    }

    @Test @EventLoop func `a timer fires at its time and only once`() async throws {
        let start = MonotonicInstant.now
        let fired = AsyncQueue(of: MonotonicInstant.self)
        let timer = TimerSource { fired.add(.now) }
        timer.arm(after: .milliseconds(20))
        #expect(try await fired.next() - start >= .milliseconds(20))
        await pause(.milliseconds(50))
        fired.finish()
        #expect(try await fired.untilEnd(within: awaitLimit) == [])
        timer.disarm()
    }

    @Test @EventLoop func `a timer that its handler arms again fires again`() async throws {
        let ticks = AsyncQueue(of: Void.self)
        var timer: TimerSource?
        timer = TimerSource {
            timer?.arm(after: .milliseconds(2))
            ticks.add(())
        }
        timer?.arm(after: .milliseconds(2))
        for _ in 0..<3 { try await ticks.next() }
        timer?.disarm()
        timer = nil
    }

    @Test @EventLoop func `a wall-clock timer fires at its second and only once`()
        async throws
    {
        let fired = AsyncQueue(of: Int.self)
        let timer = try WallClockTimer { fired.add(wallClock()) }
        let wanted = wallClock() + 1
        timer.arm(at: wanted)
        #expect(try await fired.next() == wanted)
        timer.arm(at: wanted - 100)
        #expect(try await fired.next() >= wanted)
        timer.arm(at: wallClock() + 1)
        timer.disarm()
        await pause(.milliseconds(1100))
        timer.arm(at: 1)
        #expect(try await fired.next() > wanted)
    }

    @Test @EventLoop func `the successor of a removed directory can be watched immediately`() async throws {
        let directory = "/tmp/ptt-directory-watch-\(getpid())"
        defer { rmdir(directory) }
        let names = AsyncQueue(of: String.self)
        var watch: Inotify?
        func startWatch() throws {
            watch = try Inotify("watch a directory") {
                for event in $0 where !event.name.isEmpty { names.add(event.name) }
            }
            _ = try watch?.add(directory, UInt32(IN_CREATE))
        }
        mkdir(directory, 0o700)
        try startWatch()
        for round in 0..<3 {
            rmdir(directory)
            mkdir(directory, 0o700)
            try startWatch()
            mkdir("\(directory)/child\(round)", 0o700)
            #expect(try await names.next() == "child\(round)")
            rmdir("\(directory)/child\(round)")
        }
        withExtendedLifetime(watch) {}
    }

    @Test @EventLoop func `a descriptor source reports bytes and the peer's end`() async throws {
        let (near, far) = try UnixSocket.pair(.stream)
        defer { _ = close(near) }
        let events = AsyncQueue(of: Readiness.self)
        let source = try DescriptorSource(near, .readable) { readiness in
            var byte: UInt8 = 0
            _ = read(near, &byte, 1)
            events.add(readiness)
        }
        defer { source.cancel() }
        _ = write(far, "x", 1)
        #expect(try await events.next() == .readable)
        _ = close(far)
        #expect(try await events.next().contains(.hungUp))
    }

    @Test @EventLoop func `deferred work runs after the handler that triggered it`() async throws {
        let order = AsyncQueue(of: String.self)
        let work = DeferredSource { order.add("deferred") }
        work.trigger()
        work.trigger()
        order.add("handler")
        #expect(try await order.next(2) == ["handler", "deferred"])
        work.cancel()
    }

    @Test func `a socket file without a listener is replaced, one with a listener is not`() throws {
        let path = "/tmp/ptt-eventloop-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        do { _ = try UnixSocket.listen(at: path, .stream) }
        let second = try UnixSocket.listen(at: path, .stream)
        #expect(throws: SystemError("listen on \(path)", EADDRINUSE)) {
            _ = try UnixSocket.listen(at: path, .stream)
        }
        _ = consume second
    }
}

/// Whole seconds of the precise clock: time(2) may be one tick behind.
private func wallClock() -> Int {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return now.tv_sec
}
