import CommandLineTool
import EventLoop
import Glibc

/// Stops a command that runs until Ctrl-C, the end of its terminal, a time limit, a failure, or until its
/// output cannot be written.
@EventLoop
final class StopSignal {
    /// The error of a command that has failed.
    private(set) var failure: (any Error)?
    private var sources: [SignalSource] = []
    private var timer: TimerSource?
    private let (stops, continuation) = AsyncStream.makeStream(of: Void.self)

    init(after limit: Duration? = nil) throws {
        let continuation = continuation
        sources = try [SIGINT, SIGTERM, SIGHUP].map { signal in
            try SignalSource(signal) { continuation.finish() }
        }
        if let limit {
            timer = TimerSource { continuation.finish() }
            timer?.arm(after: limit)
        }
        Terminal.whenFailed { continuation.finish() }
    }

    /// Stops the command, which has failed if there is an error. The first one counts.
    func trigger(_ error: (any Error)? = nil) {
        failure = failure ?? error
        continuation.finish()
    }

    func wait() async {
        for await _ in stops {}
        // sd_event allows a signal one source. What follows in the same command may need another.
        sources = []
    }
}
