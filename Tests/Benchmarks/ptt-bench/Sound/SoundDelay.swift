import EventLoop
import PTTMessages

/// How much later the sound of the microphone arrives by way of the Push-to-Talk Microphone than from itself,
/// in one program that records from both; beside a C client that copies it into a source like ours.
@EventLoop
enum SoundDelay {
    private static let transmissions = 15
    private static let length = Duration.milliseconds(900)
    /// Until what is on its way has arrived.
    private static let rest = Duration.milliseconds(150)
    /// Between the beginning of two loud parts there are 103 ms or more.
    private static let most = Duration.milliseconds(100)

    static func measure(_ running: SoundStack, _ table: inout Table) async throws {
        let comparison = try await running.unpressedClient(
            .compare,
            "\(SoundTimes.fragment)",
            SoundServer.microphone,
            "ptt_mic",
            SoundServer.otherSource
        )
        try await running.until { if case .recorded = $0 { true } else { false } }
        let client = try await running.unpressedClient(
            .copy,
            SoundServer.microphone,
            SoundServer.otherSink
        )
        var (ours, theirs) = (Samples(), Samples())
        for _ in 0..<transmissions {
            await pause(rest)
            _ = try comparison.unread()
            _ = try running.buttons.press()
            try client.request()
            await pause(length)
            try client.request()
            try await running.buttons.endPress()
            await pause(rest)
            let edges = try comparison.unread()
            for time in delays(of: "edge 1", in: edges) { ours.add(time) }
            for time in delays(of: "edge 2", in: edges) { theirs.add(time) }
        }
        for client in [client, comparison] { client.end() }
        guard !ours.times.isEmpty, !theirs.times.isEmpty else { throw Unmeasurable("no sound arrived") }
        for (label, share, limit) in [("median", 0.5, 15.0), ("worst", 1, 50)] {
            table.printFigure(
                "added delay of the virtual source, \(label)",
                ours.quantile(share) / .milliseconds(1),
                in: .milliseconds,
                beside: Table.Comparison(
                    name: "C client that copies",
                    value: theirs.quantile(share) / .milliseconds(1)
                ),
                limit: .figure(limit)
            )
        }
    }

    /// The times from the loud parts of the microphone itself to those of a source.
    private static func delays(
        of source: String,
        in edges: [(text: String, time: MonotonicInstant)]
    ) -> [Duration] {
        let first = edges.filter { $0.text == "edge 0" }.map(\.time)
        return edges.filter { $0.text == source }.compactMap { edge in
            // A loud part can arrive there first, in another order of the two fragments.
            first.map { edge.time - $0 }.filter { $0 > .milliseconds(-5) && $0 < most }.min()
        }
    }
}
