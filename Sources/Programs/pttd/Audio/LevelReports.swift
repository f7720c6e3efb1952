import EventLoop
import PTTMessages

/// Measures microphone and speaker while a client subscribes to their levels, and reports them at most ten
/// times a second.
@EventLoop
final class LevelReports {
    private static let interval = Duration.milliseconds(100)

    /// True if a client subscribes. While it is false, nothing is measured.
    var isWanted = false {
        didSet {
            guard isWanted != oldValue else { return }
            timer.disarm()
            _ = (microphone.take(), speaker.take())
        }
    }
    private var microphone = LevelMeter()
    private var speaker = LevelMeter()
    /// Armed while something has passed that is not reported.
    private lazy var timer = TimerSource { [weak self] in self?.send() }

    /// Called with each report.
    var report: @EventLoop (ChannelInterface.LevelReport) -> Void = { _ in }

    /// Samples of the microphone.
    func captured(_ samples: UnsafeRawBufferPointer) {
        guard isWanted else { return }
        microphone.add(samples)
        pass()
    }

    /// Samples for the speaker.
    func played(_ samples: UnsafeRawBufferPointer) {
        guard isWanted else { return }
        speaker.add(samples)
        pass()
    }

    private func pass() {
        if !timer.isArmed { timer.arm(after: Self.interval) }
    }

    /// The report without levels, after the last sample, lets a display return to rest; none follows it.
    private func send() {
        let levels = ChannelInterface.LevelReport(microphone: microphone.take(), speaker: speaker.take())
        timer.disarm()
        if levels.microphone != nil || levels.speaker != nil { pass() }
        report(levels)
    }
}
