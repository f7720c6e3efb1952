import CLinux
import Glibc

extension EventLoop {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// More than a few system calls need.
    private static let stackSize = 256 * 1024

    /// Does what blocks on a thread of its own, which ends with it, so that an idle process has none.
    ///
    /// It is a plain thread: on Swift's thread pool the first job would start a thread of libdispatch that wakes up
    /// every second from then on.
    ///
    /// - Parameters:
    ///   - work: System calls that may take long. It has 256 KiB of stack.
    ///   - done: Called on the loop with what came of it; never, if it never ends.
    /// - Throws: If no thread can be started.
    package nonisolated static func block<Result: Sendable>(
        on work: @escaping @Sendable () -> Result,
        done: @escaping @EventLoop @Sendable (Result) -> Void
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
                start { done(result) }
            }
        )
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
