import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

/// `kill -9` at every step from attaching to leaving, of the application (`ptt-stepped-application`) and of
/// the core. The kill comes right after a step was ordered, at whatever point the step has reached by then.
@Suite struct KillTests {
    private static let channelID = ChannelID(randomBytes: (7, 7))
    private static let steps = ["attached", "joined", "began", "active", "ended", "left"]

    init() { withRunningLoop() }

    /// Semantics, “A crash of the application”: many times.
    @EventLoop
    @Test func `an application killed at any step leaves no microphone open and its channel joined`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let observer = try core.connect()
        let before = try core.connect()
        try await before.audioServerIsReady(try await before.subscribe())
        for round in 0..<150 {
            let count = round % (Self.steps.count + 1)
            let application = try core.startApplication(Self.channelID)
            let reported = try await run(application, steps: count, ordersOneMore: round % 2 == 0)
            application.kill()
            let status = try await core.settledStatus()
            #expect(status.transmission == nil && status.audio == .inactive, "round \(round), \(reported)")
            try expectAllowed(
                status.channel,
                after: reported,
                ordered: count + (round % 2 == 0 ? 1 : 0),
                round: round
            )
            if status.channel != nil { try await observer.leave() }
        }
        #expect(try await sound.sourceOutputs() == [])
    }

    /// Semantics, “A restart of the core”, “A crash of the core”: many times.
    @EventLoop
    @Test func `a core killed at any step restarts silent and with the state that it had confirmed`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        for round in 0..<150 {
            let first = try core.connect()
            try await first.audioServerIsReady(try await first.subscribe())
            let count = round % (Self.steps.count + 1)
            let application = try core.startApplication(Self.channelID)
            let reported = try await run(application, steps: count, ordersOneMore: round % 2 == 0)
            try await core.crashAndRestart()
            application.kill()
            let observer = try core.connect()
            let status = try await observer.status()
            #expect(status.transmission == nil && status.audio == .inactive, "round \(round), \(reported)")
            #expect(status.channel?.application == nil)
            try expectAllowed(
                status.channel,
                after: reported,
                ordered: count + (round % 2 == 0 ? 1 : 0),
                round: round
            )
            if status.channel != nil { try await observer.leave() }
            observer.close()
        }
        #expect(try await sound.sourceOutputs() == [])
    }

    /// Orders this many steps, and one more without waiting for it.
    @EventLoop
    private func run(_ application: TestProcess, steps count: Int, ordersOneMore: Bool) async throws
        -> [String]
    {
        var reported: [String] = []
        for step in Self.steps.prefix(count) {
            reported.append(try await application.ask("go"))
            #expect(reported.last == step)
        }
        if ordersOneMore, count < Self.steps.count { application.write("go") }
        return reported
    }

    /// A reported step is done; one that was only ordered may be done or not.
    private func expectAllowed(_ channel: Channel?, after reported: [String], ordered: Int, round: Int) throws
    {
        let isJoined = reported.contains("joined") && !reported.contains("left")
        let mayBeJoined = isJoined || ordered == 2
        let mayBeLeft = !isJoined || ordered == 6
        #expect(channel == nil ? mayBeLeft : mayBeJoined, "round \(round), reported \(reported)")
        if let channel {
            #expect(channel.channelID == Self.channelID)
            #expect(channel.name == "Stepped")
            #expect(channel.owner?.rawValue == "org.example.Stepped")
            #expect(channel.participant == nil)
        }
    }
}

extension CoreFixture {
    fileprivate func startApplication(_ channelID: ChannelID) throws -> TestProcess {
        try TestProcess(
            [TestProcess.built("ptt-stepped-application"), channelID.text],
            environment: ["XDG_RUNTIME_DIR": directory]
        )
    }

    /// The status once the core has seen all that a killed client had sent.
    ///
    /// The loop serves what became ready first. So three answers on a connection that is younger than those
    /// of the client come after their acceptance, their calls, and their end. One that ends nothing waits for
    /// the disk as well.
    fileprivate func settledStatus() async throws -> Status {
        let client = try connect()
        _ = try await client.status()
        _ = try? await client.end(.other)  // A refusal is a reply too.
        return try await client.status()
    }
}
