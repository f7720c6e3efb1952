import CLinux
import CSystemd
import Glibc
import Synchronization

/// Runs Swift jobs as a source of `sd_event`.
///
/// Jobs are queued behind a lock. Jobs from the loop's own thread are run by a deferred source in the next
/// iteration, without a system call; jobs from any other thread wake the loop through an eventfd.
final class LoopExecutor: SerialExecutor, TaskExecutor {
    static let shared = LoopExecutor()

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var isWakeUpPending = false
    }

    // The C pointers are used on the loop's thread only; the inbox and the thread are behind locks.
    nonisolated(unsafe) let event: OpaquePointer
    nonisolated(unsafe) private let jobsSource: OpaquePointer
    private let wakeUp: Int32
    private let inbox = Mutex(Inbox())
    private let thread = Mutex<pthread_t?>(nil)

    private init() {
        Self.reserveStandardDescriptors()
        var created: OpaquePointer?
        let result = sd_event_new(&created)
        guard result >= 0, let created else {
            preconditionFailure("sd_event_new failed: \(String(cString: strerror(-result)))")
        }
        event = created
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(wakeUp >= 0, "eventfd failed: \(String(cString: strerror(errno)))")

        var deferred: OpaquePointer?
        var source: OpaquePointer?
        sd_event_add_defer(event, &deferred, { _, _ in LoopExecutor.shared.runJobs() }, nil)
        sd_event_add_io(
            event,
            &source,
            wakeUp,
            Readiness.readable.rawValue,
            { _, _, _, _ in LoopExecutor.shared.wokenUp() },
            nil
        )
        guard let deferred else { preconditionFailure("sd_event_add_defer failed") }
        jobsSource = deferred
        sd_event_source_set_enabled(jobsSource, Int32(SD_EVENT_OFF))
    }

    /// Occupies the standard descriptors that are closed, so that no socket of this process gets their
    /// number: what a program prints would be sent to a daemon. They stay as unusable as before: `/dev/null`
    /// is opened the wrong way round.
    private static func reserveStandardDescriptors() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            let opened = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
            // Another thread was faster, or nothing can be opened.
            if opened > STDERR_FILENO { close(opened) }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustWake = inbox.withLock { inbox in
            inbox.jobs.append(job)
            defer { inbox.isWakeUpPending = true }
            return !inbox.isWakeUpPending
        }
        guard mustWake else { return }
        if isCurrentThread {
            sd_event_source_set_enabled(jobsSource, Int32(SD_EVENT_ONESHOT))
        } else {
            var one: UInt64 = 1
            // Cannot overflow the counter: at most one write is pending.
            _ = write(wakeUp, &one, 8)
        }
    }

    func checkIsolated() {
        precondition(isCurrentThread, "This code must run on the event loop's thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
        isCurrentThread
    }

    func adoptCurrentThread() {
        thread.withLock { thread in
            precondition(thread == nil, "The event loop is already running")
            thread = pthread_self()
        }
    }

    func turnUntilExit() -> Int32 {
        let code = sd_event_loop(event)
        // Whoever waits for the loop would wait for ever: of a library nothing else would show it.
        precondition(code >= 0, "sd_event_loop failed: \(String(cString: strerror(-code)))")
        return code
    }

    func startThread() {
        // The new thread's first question whether it is the loop's waits for the answer.
        thread.withLock { thread in
            guard thread == nil else { return }
            var created = pthread_t()
            let result = pthread_create(
                &created,
                nil,
                { _ in
                    _ = LoopExecutor.shared.turnUntilExit()
                    return nil
                },
                nil
            )
            precondition(result == 0, "pthread_create failed: \(String(cString: strerror(result)))")
            pthread_detach(created)
            thread = created
        }
    }

    private var isCurrentThread: Bool { thread.withLock { $0 } == pthread_self() }

    private func wokenUp() -> Int32 {
        var count: UInt64 = 0
        // Resets the counter; an error would mean that it is already zero.
        _ = read(wakeUp, &count, 8)
        return runJobs()
    }

    private func runJobs() -> Int32 {
        let jobs = inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox.jobs
        }
        for job in jobs {
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor()
            )
        }
        return 0
    }
}
