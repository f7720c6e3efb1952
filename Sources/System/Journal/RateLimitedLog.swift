package import EventLoop
package import Logging

/// Limits the lines that peers cause, for each peer and in total, so that no peer can flood the journal and
/// hide in it. At the end of each window it logs how many lines were suppressed.
@EventLoop
package final class RateLimitedLog {
    /// A process ID from a socket (`SO_PEERCRED`); 0 for lines that no peer caused.
    package typealias Peer = Int32

    private let log: Logger
    private let linesPerPeer: Int
    private let lines: Int
    private let window: Duration
    private var written: [Peer: Int] = [:]
    private var suppressed: [Peer: Int] = [:]
    private var writtenInTotal = 0
    /// The end of the current window; nil if there is none.
    private var windowEnd: MonotonicInstant?
    /// Armed only after a line was suppressed, so that a line that was written causes no wake-up later.
    private lazy var timer = TimerSource { [unowned self] in endWindow() }

    /// Limits the lines of each peer, and of all peers together, within a window, which begins with its first
    /// line.
    package init(
        _ log: Logger,
        linesPerPeer: Int = 20,
        lines: Int = 40,
        window: Duration = .seconds(60)
    ) {
        self.log = log
        self.linesPerPeer = linesPerPeer
        self.lines = lines
        self.window = window
    }

    /// Writes a line about the peer that caused it, 0 for devices and disks, since any process may be the
    /// reason; or suppresses and counts it, without evaluating its message.
    package func log(
        level: Logger.Level,
        _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata? = nil,
        about peer: Peer = 0
    ) {
        guard level >= log.logLevel else { return }
        let now = MonotonicInstant.now
        if let windowEnd, now >= windowEnd { endWindow() }
        let end = windowEnd ?? now + window
        windowEnd = end
        let count = written[peer, default: 0]
        guard count < linesPerPeer, writtenInTotal < lines else {
            if suppressed.isEmpty { timer.arm(at: end) }
            // Bounds the memory: beyond this number of peers, the others are counted together, as 0.
            suppressed[suppressed.count < lines ? peer : 0, default: 0] += 1
            return
        }
        writtenInTotal += 1
        written[peer] = count + 1
        log.log(level: level, message(), metadata: metadata())
    }

    private func endWindow() {
        timer.disarm()
        let suppressed = suppressed
        (written, self.suppressed, writtenInTotal, windowEnd) = ([:], [:], 0, nil)
        guard !suppressed.isEmpty else { return }
        let most = suppressed.sorted { $0.value > $1.value }
        for (peer, count) in most.prefix(3) {
            let about = peer == 0 ? "" : " about process \(peer)"
            log.warning("suppressed \(count) lines\(about) within \(window)")
        }
        let others = most.dropFirst(3)
        guard !others.isEmpty else { return }
        let count = others.reduce(0) { $0 + $1.value }
        log.warning("suppressed \(count) lines about \(others.count) more within \(window)")
    }
}
