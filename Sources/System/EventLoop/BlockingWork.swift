import Glibc

extension EventLoop {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Ample for a few system calls.
    private static let stackSize = 256 * 1024

    /// Runs blocking work on a new thread, which exits afterwards, so that an idle process has no spare
    /// threads.
    ///
    /// It is a plain thread: on Swift's thread pool the first job would start a thread of libdispatch that
    /// wakes up every second from then on.
    ///
    /// - Parameters:
    ///   - work: System calls that may block for long. The thread has a stack of 256 KiB.
    ///   - completion: Called on the loop with the result of `work`; never, if `work` never returns.
    /// - Throws: If no thread can be started.
    package nonisolated static func spawnBlocking<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result,
        completion: @escaping @EventLoop @Sendable (Result) -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        // These three cannot fail with these values.
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let context = Unmanaged.passRetained(
            Work {
                let result = work()
                start { completion(result) }
            }
        )
        // A thread has the mask of the one that starts it. A signal is for the loop: delivered to a thread
        // that does not block it, it would end the process.
        var (all, earlier) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &earlier)
        defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            &attributes,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            },
            context.toOpaque()
        )
        guard code == 0 else {
            context.release()
            throw SystemError("start a thread", code)
        }
    }
}
