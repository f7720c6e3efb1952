import EventLoop
import PTTMessages
import ServiceClient
import TestSupport
import Testing

/// The library's messages to the developer of an application.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct DiagnosticsTests {
    init() { withRunningLoop() }

    /// `Examples/radio`, which answers a push with a participant while it transmits: the answer is refused,
    /// and the refusal is written.
    @EventLoop
    @Test(arguments: ["2>/dev/full", "2>&-"])
    func `an application survives a line that cannot be written`(redirection: String) async throws {
        let fixture = try await LibraryFixture.start()
        let radio = try TestProcess(
            ["sh", "-c", "exec stdbuf -oL '\(TestProcess.built("radio"))' \(redirection)"]
        )
        let command = try await radio.lines.first { $0.contains("--token") }
        let token = try #require(command.split(separator: " ").drop { $0 != "--token" }.dropFirst().first)
        try await fixture.until { $0.channel?.application != nil && $0.isAudioServerReady }

        let events = AsyncQueue(of: CoreEvent.self)
        let core = try ServiceConnection.core()
        core.subscribe({ if let event = $0.event { events.add(event) } }, ended: { _ in })
        let button = try await fixture.press()
        // Otherwise there may be nothing to echo at the release.
        try await fixture.until { $0.audio == .active }
        let sender = try ServiceConnection.core()
        _ = try await sender.call(
            PushInterface.send,
            PushInterface.SendRequest(
                token: PushToken(rawValue: String(token)),
                topic: "org.example.Tests.voip-ptt",
                type: "pushtotalk",
                priority: 10,
                expiration: 0,
                payload: #"{"activeSpeaker":"Ann"}"#
            )
        )
        _ = try await events.first { if case .pushFinished(_, .failed, _) = $0 { true } else { false } }
        try await fixture.release(button)
        _ = try await events.first {
            if case .participantChanged(let participant?) = $0 { participant.name == "Echo" } else { false }
        }
        try await fixture.leave()
        #expect(try await radio.exitStatus() == 0)
        for connection in [core, sender] { connection.close() }
    }
}
