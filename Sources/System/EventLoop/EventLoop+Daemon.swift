import Glibc

extension EventLoop {
    @EventLoop private static var signals: [SignalSource] = []
    @EventLoop private static var stop: @EventLoop () -> Void = {}

    /// Runs a daemon until SIGTERM or SIGINT; one that comes during its start ends it after that.
    ///
    /// - Parameters:
    ///   - start: Makes the daemon, and returns what ends it, and then the loop.
    ///   - failed: Called with the reason if it cannot start. The process then ends with `EXIT_FAILURE`.
    /// - Returns: The exit status.
    package nonisolated static func runDaemon(
        _ start: @escaping @EventLoop () throws -> (@EventLoop () -> Void),
        failed: @escaping @EventLoop (any Error) -> Void
    ) -> Int32 {
        run {
            do {
                signals = try [SIGTERM, SIGINT].map { signal in try SignalSource(signal) { stop() } }
                stop = try start()
            } catch {
                failed(error)
                exit(code: EXIT_FAILURE)
            }
        }
    }
}
