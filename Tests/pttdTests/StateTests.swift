import EventLoop
import Foundation
import PTTMessages
import TestSupport
import Testing

/// The channel on disk.
@Suite(.serialized) struct StateTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a core that is killed restores the channel with its name, picture and push token`()
        async throws
    {
        let core = try await CoreFixture.start()
        let picture = try Image([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 1, count: Image.sizeLimit - 3))
        let first = try await AttachedApplication.attach(to: core)
        let token = try await first.join(.hikers, image: picture.base64).pushToken
        let mode = ApplicationInterface.TransmissionModeRequest(channelID: nil, mode: .listenOnly)
        try await first.calls.call(ApplicationInterface.setTransmissionMode, mode)
        try await core.crashAndRestart()
        let channel = try #require(try await core.connect().status().channel)
        #expect(channel.channelID == .hikers)
        #expect(channel.name == "Hikers")
        #expect(channel.image == picture.summary)
        #expect(channel.transmissionMode == .listenOnly)
        #expect(channel.application == nil)
        let second = try await AttachedApplication.attach(to: core)
        #expect(second.attachment.restored == .init(channelID: .hikers, needsDescriptor: false))
        #expect(second.attachment.pushToken == token)
        #expect(try await second.calls.image(picture.summary.imageID) == picture.base64)
    }

    @Test @EventLoop func `a channel that was left is not restored`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.untilSaved()
        #expect(FileManager.default.fileExists(atPath: core.state("channel.json")))
        try await application.calls.leave()
        try await core.untilSaved()
        #expect(try FileManager.default.contentsOfDirectory(atPath: core.state("")) == [])
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel == nil)
    }

    @Test @EventLoop func `other users cannot read the files`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.untilSaved()
        for (path, mode) in [("", 0o700), ("channel.json", 0o600), ("descriptor.json", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: core.state(path))
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"channelID": 5}"#, #"{"channelID": "no UUID", "pushToken": "1"}"#,
        String(repeating: "{\"a\":", count: 100), String(repeating: " ", count: 600_000), "\u{0}\u{1}",
    ])
    @EventLoop func `a damaged channel is logged, kept aside and not restored`(text: String) async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.untilSaved()
        core.process.kill()
        try text.write(toFile: core.state("channel.json"), atomically: false, encoding: .utf8)
        try await core.crashAndRestart(until: {
            $0.hasPrefix("error: ") && $0.contains("channel.json.damaged")
        })
        #expect(try await core.connect().status().channel == nil)
        let kept = try String(contentsOfFile: core.state("channel.json.damaged"), encoding: .utf8)
        #expect(kept == text)
        let again = try await AttachedApplication.attach(to: core)
        #expect(again.attachment.restored == nil)
        _ = try await again.join(.hikers)
    }

    @Test @EventLoop func `bytes that are not text count as damaged`() async throws {
        let core = try await CoreFixture.start()
        core.process.kill()
        try FileManager.default.createDirectory(atPath: core.state(""), withIntermediateDirectories: true)
        try Data([0xC3, 0x28, 0xFF]).write(to: URL(filePath: core.state("channel.json")))
        try await core.crashAndRestart(until: { $0.hasPrefix("error: ") && $0.contains("UTF-8") })
        #expect(try await core.connect().status().channel == nil)
    }

    @Test @EventLoop func `a saved channel that cannot be read is kept for the next start`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.untilSaved()
        core.process.kill()
        try core.setReadable(false)
        try await core.crashAndRestart(until: { $0.hasPrefix("error: ") && $0.contains("channel.json") })
        #expect(try await core.connect().status().channel == nil)
        core.process.kill()
        try core.setReadable(true)
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel?.channelID == .hikers)
    }

    @Test @EventLoop
    func `a saved channel that cannot be read is restored to its application once it can be`()
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        let saved = try await application.join(.hikers)
        try await core.untilSaved()
        core.process.kill()
        try core.setReadable(false)
        try await core.crashAndRestart(until: { $0.contains("tried again") && $0.contains("channel.json") })
        let again = try await AttachedApplication.attach(to: core)
        #expect(again.attachment.restored == nil)
        try core.failToReadChannelOtherwise()
        let line = try await core.process.lines.first { $0.contains("tried again") }
        #expect(line.contains("Is a directory"))
        try core.setReadable(true)
        let events = try await again.next(2)
        let restored = ApplicationInterface.Restored(channelID: .hikers, needsDescriptor: false)
        let token = try #require(saved.pushToken)
        #expect(events.first == .channelRestored(restored: restored, pushToken: token))
        #expect(events.last?.joinReason == .channelRestoration)
        let channel = try #require(try await core.connect().status().channel)
        #expect(channel.channelID == .hikers && channel.name == "Hikers" && channel.application != nil)
    }

    @Test @EventLoop
    func `a volume that cannot be read either comes back with the channel`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.connect().call(ChannelInterface.setVolume, .init(volume: 80))
        try await core.untilSaved()
        core.process.kill()
        try core.setReadable(false, "volume.json")
        try core.setReadable(false)
        try await core.crashAndRestart(until: { $0.contains("tried again") })
        #expect(try await core.connect().status().volume == Status.defaultVolume)
        try core.setReadable(true, "volume.json")
        try core.setReadable(true)
        try await until { try await core.connect().status().channel != nil }
        #expect(try await core.connect().status().volume == 80)
    }

    @Test @EventLoop
    func `a lost name and picture do not lose the channel, and its application is asked for them`()
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.untilSaved()
        core.process.kill()
        try "gibberish".write(toFile: core.state("descriptor.json"), atomically: false, encoding: .utf8)
        try await core.crashAndRestart(until: { $0.contains("descriptor.json.damaged") })
        let again = try await AttachedApplication.attach(to: core)
        #expect(again.attachment.restored == .init(channelID: .hikers, needsDescriptor: true))
    }

    @Test @EventLoop func `a state that cannot be written is reported, and the core keeps running`()
        async throws
    {
        let core = try await CoreFixture.start(environment: ["XDG_STATE_HOME": "/proc/nowhere"])
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        _ = try await core.process.lines.first { $0.hasPrefix("error: ") && $0.contains("cannot be written") }
        #expect(try await application.calls.status().channel?.channelID == .hikers)
    }

    @Test @EventLoop func `a file that a crash left half written is not restored`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        try await core.untilSaved()
        core.process.kill()
        try "{\"half".write(toFile: core.state("channel.json.new"), atomically: false, encoding: .utf8)
        try await core.crashAndRestart()
        #expect(try await core.connect().status().channel?.channelID == .hikers)
    }
}
