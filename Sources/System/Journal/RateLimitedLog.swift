package import EventLoop
package import Logging

/// Writes what peers bring about: so many lines for each of them and for all together in a time, so that nobody can
/// fill the journal and hide in it. When the time is over, it tells how many lines were left out.
@EventLoop
package final class RateLimitedLog {
    /// A process, as far as a socket tells (`SO_PEERCRED`); 0 for what happened by itself.
    package typealias Peer = Int32

    private let log: Logger
    private let linesPerPeer: Int
    private let lines: Int
    private let window: Duration
    private var written: [Peer: Int] = [:]
    private var leftOut: [Peer: Int] = [:]
    private var writtenByAll = 0
    /// When the lines written so far count no more; nil while none do.
    private var windowEnd: MonotonicInstant?
    /// Runs only once something was left out, so that a line that was written wakes nobody up later.
    private lazy var timer = TimerSource { [unowned self] in endWindow() }

    /// - Parameters:
    ///   - log: Where the lines go.
    ///   - linesPerPeer: About one peer.
    ///   - lines: About all together.
    ///   - window: In this time.
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

    /// Writes a line, or counts it.
    ///
    /// - Parameters:
    ///   - level: How much it matters.
    ///   - message: Not made if it is left out.
    ///   - metadata: Its fields.
    ///   - peer: Who brought it about; what a device or a disk does may have been brought about by anybody.
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
        guard count < linesPerPeer, writtenByAll < lines else {
            if leftOut.isEmpty { timer.arm(at: end) }
            // So many peers that remembering them would cost memory stand together, as 0 does.
            leftOut[leftOut.count < lines ? peer : 0, default: 0] += 1
            return
        }
        writtenByAll += 1
        written[peer] = count + 1
        log.log(level: level, message(), metadata: metadata())
    }

    private func endWindow() {
        timer.disarm()
        let leftOut = leftOut
        (written, self.leftOut, writtenByAll, windowEnd) = ([:], [:], 0, nil)
        guard !leftOut.isEmpty else { return }
        let most = leftOut.sorted { $0.value > $1.value }
        for (peer, count) in most.prefix(3) {
            let about = peer == 0 ? "" : " about process \(peer)"
            log.warning("left out \(count) lines\(about) within \(window)")
        }
        let others = most.dropFirst(3)
        guard !others.isEmpty else { return }
        let count = others.reduce(0) { $0 + $1.value }
        log.warning("left out \(count) lines about \(others.count) more within \(window)")
    }
}
