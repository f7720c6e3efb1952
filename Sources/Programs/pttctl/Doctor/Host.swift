import DBus
import Diagnosis
import EventLoop
import Glibc

/// The machine, as `pttctl doctor` observes it. Nothing is changed, and every question has a time limit.
struct Host: Sendable {
    /// Below which files are read; empty for the machine itself.
    let root: String

    /// For one answer of a daemon, a bus or a disk. A healthy one answers within milliseconds.
    static let timeLimit = Duration.seconds(1)

    func path(_ path: String) -> String { root + path }

    @EventLoop
    func facts() async -> HostFacts {
        async let units = ServiceManagerFacts.observed(on: self)
        async let daemons = DaemonFacts.observed()
        return await HostFacts(session: .observed(), units: units, daemons: daemons)
    }

    /// Runs system calls that may block, on a disk that does not answer for example.
    ///
    /// - Returns: Nil if they have not returned within ``timeLimit``. The thread then ends with the process.
    @EventLoop
    static func bounded<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let pending = Pending(continuation)
            do throws(SystemError) {
                try EventLoop.spawnBlocking(work) { pending.finish($0) }
            } catch {
                // No thread can be started: what is asked for stays unknown.
                pending.finish(nil)
            }
        }
    }

    /// The bus of the user's service manager. It may be another one than the session's.
    @EventLoop
    static func userBus() async throws(BusError) -> BusConnection {
        let path = Environment.variable("XDG_RUNTIME_DIR").map { $0 + "/bus" }
        if let path, access(path, F_OK) == 0 {
            return try await .open(.address("unix:path=\(path)"), timeout: timeLimit)
        }
        return try await .open(.session, timeout: timeLimit)
    }
}

/// The first of a result and the end of the time limit.
@EventLoop
private final class Pending<Value: Sendable> {
    private var continuation: CheckedContinuation<Value?, Never>?
    private var timer: TimerSource?

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        self.continuation = continuation
        // The timer keeps this object alive until it fires or there is a result.
        let timer = TimerSource { self.finish(nil) }
        timer.arm(after: Host.timeLimit)
        self.timer = timer
    }

    func finish(_ value: Value?) {
        timer = nil
        continuation?.resume(returning: value)
        continuation = nil
    }
}

extension Silence {
    init(_ error: BusError) {
        self =
            switch error.kind {
            case .noReply: .timedOut
            case .disconnected, .serviceUnknown, .unknownObject, .invalidArguments, .accessDenied,
                .limitsExceeded, .other:
                .unreachable(error.message.isEmpty ? error.name : error.message)
            }
    }
}
