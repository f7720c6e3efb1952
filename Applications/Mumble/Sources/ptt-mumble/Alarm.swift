import CTimer
import Foundation

/// Calls back at a time, the last one that was set. Sleep of the machine counts, which it does not for the
/// timers of libdispatch.
@MainActor
final class Alarm {
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private var time: ContinuousClock.Instant?
    private var body: (@MainActor () -> Void)?

    /// - Throws: If the kernel gives no timer.
    init() throws {
        let descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(O_CLOEXEC | O_NONBLOCK))
        guard descriptor >= 0 else {
            throw UserFiles.Failure(text: "the kernel gives no timer: \(String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in
            // On the main queue.
            MainActor.assumeIsolated { self?.ring() }
        }
        source.activate()
    }

    isolated deinit { source.cancel() }

    /// - Parameters:
    ///   - new: When; nil cancels it.
    ///   - body: Called at or soon after the time.
    func set(_ new: ContinuousClock.Instant?, _ body: @escaping @MainActor () -> Void) {
        self.body = body
        guard new != time else { return }
        time = new
        // Zero would stop it.
        let left = new.map { max(.nanoseconds(1), ContinuousClock.now.duration(to: $0)) } ?? .zero
        let (seconds, attoseconds) = left.components
        var setting = itimerspec()
        setting.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        // It fails for what is no time only.
        timerfd_settime(descriptor, 0, &setting, nil)
    }

    private func ring() {
        var count: UInt64 = 0
        // Otherwise another time was set since.
        guard read(descriptor, &count, 8) == 8 else { return }
        time = nil
        body?()
    }
}
