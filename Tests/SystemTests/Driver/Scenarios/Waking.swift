import EventLoop
import PTTMessages

/// An application of the library, as a service of the user that the core can start: `ptt-echo`.
extension Scenario {
    static let waking = [
        Scenario(part: 8, "an application receives a transmission, and its echo is played", echo),
        Scenario(
            part: 8,
            "a press starts an application that was killed, and it receives that transmission",
            pressStarts
        ),
        Scenario(
            part: 8,
            "core and application killed: both come back, and the channel with them",
            bothComeBack
        ),
        Scenario(part: 8, "a channel that is left is not on disk any more", leftIsGone),
    ]

    private static let unit = "ptt-echo"
    private static let saved = "$HOME/.local/state/pushtotalk/channel.json"

    private static func echo(_ fixture: GuestFixture) async throws {
        try await startEcho(fixture)
        try await pressAndEcho(fixture)
        try await stopEcho()
    }

    private static func pressStarts(_ fixture: GuestFixture) async throws {
        try await startEcho(fixture)
        try await Machine.kill(unit)
        try await until("the core has lost the application") {
            fixture.core.status?.channel?.application == nil
        }
        try await pressAndEcho(fixture)
        try await stopEcho()
    }

    private static func bothComeBack(_ fixture: GuestFixture) async throws {
        try await startEcho(fixture)
        let before = fixture.core.status?.channel?.channelID
        try await Machine.kill(unit)
        try await Machine.kill("pttd")
        try await until("the core is lost") { fixture.core.status == nil }
        try await until("the application is back with its channel") {
            fixture.core.status?.channel?.application != nil
        }
        guard fixture.core.status?.channel?.channelID == before, fixture.core.status?.transmission == nil
        else {
            throw Failure("the core came back with \(fixture.core.status.map { "\($0)" } ?? "nothing")")
        }
        try await until("the audio server is there") { fixture.core.status?.isAudioServerReady == true }
        try await fixture.ready(.ffe0)
        try await pressAndEcho(fixture)
        try await stopEcho()
    }

    private static func leftIsGone(_ fixture: GuestFixture) async throws {
        try await startEcho(fixture)
        try await eventually("\(saved) is there for its user alone") {
            let (status, mode) = try await Command.run(["sh", "-c", "stat -c %a \(saved)"])
            return status == 0 && mode.hasPrefix("600")
        }
        try await stopEcho()
        try await Command.output(of: ["pttctl", "leave"])
        try await eventually("\(saved) is gone") {
            try await Command.run(["sh", "-c", "test ! -e \(saved)"]).status == 0
        }
    }

    // MARK: - Steps

    static func startEcho(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        try await fixture.core.open()
        try await Machine.systemctl("start", unit)
        try await until("ptt-echo has joined") { fixture.core.status?.channel?.application != nil }
    }

    /// Stops it as its user, so that the end of the scenario does not start it again.
    static func stopEcho() async throws {
        try await Machine.systemctl("stop", unit)
    }

    /// A press is transmitted, and comes back through the speaker with the microphone closed.
    static func pressAndEcho(_ fixture: GuestFixture) async throws {
        let mark = fixture.core.events.count
        try await ButtonSimulator.press(.ffe0)
        try await fixture.core.event("audio is active", after: mark) {
            if case .audioActivated = $0 { true } else { nil }
        }
        guard fixture.core.status?.channel?.application != nil else {
            throw Failure("audio is active without the application")
        }
        // Enough sound to play back.
        _ = await Conditions.wait(.seconds(1)) { false }
        let release = fixture.core.events.count
        try await ButtonSimulator.release(.ffe0)
        try await fixture.ends(.released, after: release)
        try await fixture.core.event("the echo speaks", after: release) {
            if case .participantChanged(.some) = $0 { true } else { nil }
        }
        try await Machine.nothingRecords()
        try await fixture.core.event("the echo has spoken", after: release) {
            if case .participantChanged(.none) = $0 { true } else { nil }
        }
        try await until("audio is inactive") { fixture.core.status?.audio == .inactive }
    }
}
