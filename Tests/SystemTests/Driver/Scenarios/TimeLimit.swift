import EventLoop
import PTTMessages

extension Scenario {
    private static let directory = "/home/dev/.config/pushtotalk"

    static let timeLimit = [
        Scenario(7, "a button held past the time limit must be let go before it transmits again") { lab in
            try await withTimeLimit(8, lab, pastTheLimit)
        }
    ]

    private static func pastTheLimit(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        let application = try await lab.application()
        guard lab.core.status?.timeLimit == 8 else { throw Failure("the time limit is not read") }
        let mark = lab.core.events.count
        try await lab.press(.ffe0, for: application)
        try await lab.ends(.timeLimit, after: mark)
        try await isSilent(application, lab)
        // Still held: it tells so again, and once more after it has reconnected.
        try await Hand.send("01", from: .ffe0)
        try await Hand.tell("on-subscribe", .ffe0, "01")
        try await Hand.tell("disconnect", .ffe0)
        try await until("it is gone") { lab.accessories.device(Button.ffe0.address)?.link != .ready }
        try await lab.ready(.ffe0)
        try await Hand.send("01", from: .ffe0)
        try await isSilent(application, lab)
        guard lab.core.beginnings(after: mark) == 1 else {
            throw Failure("it transmits again without a fresh press")
        }
        try await Hand.release(.ffe0)
        try await until("it is let go") { lab.accessories.device(Button.ffe0.address)?.isPressed == false }
        try await lab.talk(.ffe0, to: application)
        application.close()
    }

    /// With a configuration file for the time of `body`.
    private static func withTimeLimit(
        _ seconds: Int,
        _ lab: Lab,
        _ body: @EventLoop (Lab) async throws -> Void
    ) async throws {
        try await Command.output(of: [
            "sh", "-c", "mkdir -p \(directory) && echo 'time-limit = \(seconds)' > \(directory)/pttd.toml",
        ])
        try await restartCore(lab)
        var failure: (any Error)?
        do { try await body(lab) } catch { failure = error }
        try await Command.output(of: ["rm", "-r", directory])
        try await restartCore(lab)
        if let failure { throw failure }
    }

    private static func restartCore(_ lab: Lab) async throws {
        lab.core.close()
        try await Machine.systemctl("restart", "pttd")
        try await lab.core.open()
    }
}
