import EventLoop
import PTTMessages

/// An application of the library, as a service of the user that the core can start: `ptt-echo`.
extension Scenario {
    static let waking = [
        Scenario(8, "an application hears a press, and its echo is played", echo),
        Scenario(8, "a press starts an application that was killed, and it hears that press", pressStarts),
        Scenario(8, "core and application killed: both come back, and the channel with them", bothComeBack),
        Scenario(8, "a channel that is left is not on disk any more", leftIsGone),
    ]

    private static let unit = "ptt-echo"
    private static let saved = "$HOME/.local/state/pushtotalk/channel.json"

    private static func echo(_ lab: Lab) async throws {
        try await startEcho(lab)
        try await pressAndEcho(lab)
        try await stopEcho()
    }

    private static func pressStarts(_ lab: Lab) async throws {
        try await startEcho(lab)
        try await Machine.kill(unit)
        try await until("the core has lost the application") {
            lab.core.status?.channel?.application == nil
        }
        try await pressAndEcho(lab)
        try await stopEcho()
    }

    private static func bothComeBack(_ lab: Lab) async throws {
        try await startEcho(lab)
        let before = lab.core.status?.channel?.channelID
        try await Machine.kill(unit)
        try await Machine.kill("pttd")
        try await until("the core is lost") { lab.core.status == nil }
        try await until("the application is back with its channel") {
            lab.core.status?.channel?.application != nil
        }
        guard lab.core.status?.channel?.channelID == before, lab.core.status?.transmission == nil else {
            throw Failure("the core came back with \(lab.core.status.map { "\($0)" } ?? "nothing")")
        }
        try await until("the audio server is there") { lab.core.status?.isAudioServerReady == true }
        try await lab.ready(.ffe0)
        try await pressAndEcho(lab)
        try await stopEcho()
    }

    private static func leftIsGone(_ lab: Lab) async throws {
        try await startEcho(lab)
        let mode = try await Command.output(of: ["sh", "-c", "stat -c %a \(saved)"])
        guard mode.hasPrefix("600") else { throw Failure("\(saved) has the mode \(mode)") }
        try await stopEcho()
        try await Command.output(of: ["pttctl", "leave"])
        guard try await Command.run(["sh", "-c", "test ! -e \(saved)"]).status == 0 else {
            throw Failure("\(saved) is there after leaving")
        }
    }

    // MARK: - Steps

    static func startEcho(_ lab: Lab) async throws {
        try await lab.paired(.ffe0)
        try await lab.core.open()
        try await Machine.systemctl("start", unit)
        try await until("ptt-echo has joined") { lab.core.status?.channel?.application != nil }
    }

    /// Stopped by its user, so that it is not started again by the end of the scenario.
    static func stopEcho() async throws {
        try await Machine.systemctl("stop", unit)
    }

    /// A press is transmitted, and comes back through the speaker with the microphone closed.
    static func pressAndEcho(_ lab: Lab) async throws {
        let mark = lab.core.events.count
        try await Hand.press(.ffe0)
        try await lab.core.event("audio is active", after: mark) {
            if case .audioActivated = $0 { true } else { nil }
        }
        guard lab.core.status?.channel?.application != nil else {
            throw Failure("audio is active without the application")
        }
        // Long enough to have something to play.
        _ = await Sightings.wait(.seconds(1)) { false }
        let release = lab.core.events.count
        try await Hand.release(.ffe0)
        try await lab.ends(.released, after: release)
        try await lab.core.event("the echo speaks", after: release) {
            if case .participantChanged(.some) = $0 { true } else { nil }
        }
        try await Machine.nobodyRecords()
        try await lab.core.event("the echo has spoken", after: release) {
            if case .participantChanged(.none) = $0 { true } else { nil }
        }
        try await until("audio is inactive") { lab.core.status?.audio == .inactive }
    }
}
