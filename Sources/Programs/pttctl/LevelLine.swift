import EventLoop
import PTTMessages
import ServiceClient

/// The levels of microphone and speaker at the foot of a terminal, below what is printed.
@EventLoop
final class LevelLine {
    private let connection: ServiceConnection
    private var report = ChannelInterface.LevelReport(microphone: nil, speaker: nil)
    private var foot: FootLine?

    /// Subscribes to the levels. Nil without a terminal, and with JSON, which a further line would spoil.
    ///
    /// - Throws: If the core cannot be reached.
    init?(json: Bool) throws {
        guard !json, FootLine.isPossible else { return nil }
        connection = try ServiceConnection.core()
        foot = try FootLine { [weak self] columns in
            self.map { TerminalText.line([Wording.line($0.report)], columns: columns - 1) } ?? ""
        }
        // The events of the command say that the core is lost.
        connection.subscribeToLevels({ [weak self] in self?.show($0) }, ended: { _ in })
    }

    func close() {
        connection.close()
        foot?.close()
        foot = nil
    }

    private func show(_ report: ChannelInterface.LevelReport) {
        self.report = report
        foot?.update()
    }
}

extension Wording {
    private static let levelBars = 20
    /// dB of full scale for each bar; speech at a usual distance fills about half of them.
    private static let levelStep = 3.0

    /// Returns the levels of what passes through microphone and speaker; empty if nothing does.
    static func line(_ report: ChannelInterface.LevelReport) -> String {
        [("microphone", report.microphone), ("speaker", report.speaker)].compactMap { name, level in
            level.map { "\(name) \(bar($0)) \(Int($0.rounded())) dB" }
        }.joined(separator: "   ")
    }

    private static func bar(_ level: Double) -> String {
        let filled = min(max(levelBars + Int((level / levelStep).rounded()), 0), levelBars)
        return String(repeating: "▮", count: filled) + String(repeating: "▯", count: levelBars - filled)
    }
}
