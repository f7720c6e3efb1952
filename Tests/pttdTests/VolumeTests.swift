import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

/// How loud the other end is heard, over restarts.
@Suite(.serialized) struct VolumeTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a volume that a person has set survives a crash of the core`() async throws {
        let core = try await CoreFixture.start()
        try await core.connect().call(ChannelInterface.setVolume, .init(volume: 80))
        try await core.crashAndRestart()
        #expect(try await core.connect().status().volume == 80)
        try await core.connect().call(ChannelInterface.setVolume, .init(volume: 100))
        try await core.untilSaved()
        #expect(!FileManager.default.fileExists(atPath: core.state("volume.json")))
    }

    @Test(arguments: ["", "{", #"{"volume": 9000}"#, #"{"volume": "80"}"#, #"{"volume": -1}"#])
    @EventLoop func `a damaged volume is the usual one`(_ text: String) async throws {
        let core = try await CoreFixture.start()
        core.process.kill()
        try FileManager.default.createDirectory(atPath: core.state(""), withIntermediateDirectories: true)
        try text.write(toFile: core.state("volume.json"), atomically: false, encoding: .utf8)
        try await core.crashAndRestart()
        #expect(try await core.connect().status().volume == 100)
    }

    @Test @EventLoop func `a volume out of range is refused`() async throws {
        let core = try await CoreFixture.start()
        let client = try core.connect()
        let refusal = try await refusal {
            try await client.call(ChannelInterface.setVolume, .init(volume: 151))
        }
        #expect(refusal.reason == "a volume is 0 to 150 percent")
    }
}
