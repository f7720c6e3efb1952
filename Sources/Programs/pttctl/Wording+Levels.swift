import PTTMessages

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
