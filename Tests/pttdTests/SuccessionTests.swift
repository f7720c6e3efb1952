import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// An application with more than one attachment: when one of them ends, another holds the channel.
@Suite(.serialized) struct SuccessionTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a second process of the application takes its channel over when the first dies`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let accessoryd = try core.connect()
        let first = try await AttachedApplication.attach(to: core)
        let second = try TestProcess.attaching(as: "org.example.App", named: "App", in: core.directory)
        _ = try await second.lines.first { $0.contains("callToken") }
        _ = try await first.join(.hikers)
        _ = try await accessoryd.begin()
        first.die()
        #expect(try await watcher.nextEnd() == .applicationGone)
        let joined = try await watcher.events.first { $0.joinReason == .channelRestoration }
        guard case .channelJoined(let channel, _) = joined else { return #expect(Bool(false), "\(joined)") }
        #expect(channel.channelID == .hikers)
        #expect(channel.application?.processID == Int(second.processID))
        // What it needs to continue: the channel, and the token for its pushes, which is a different one.
        let restored = try await second.lines.first { $0.contains("channelRestored") }
        #expect(restored.contains(first.attachment.pushToken.rawValue))
        _ = try await second.lines.first { $0.contains("channelRestoration") }
        // It receives the next press, and is not started again.
        _ = try await accessoryd.begin()
        second.kill()
        #expect(try await watcher.nextEnd() == .applicationGone)
        _ = try await watcher.events.first { $0 == .applicationDetached }
        #expect(try await accessoryd.status().channel?.channelID == .hikers)
        #expect(try await sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop
    func `a new manager of the same process has its channel once its old connection is closed`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let old = try await AttachedApplication.attach(to: core, isForeground: false)
        let refused = try await refusal { _ = try await old.join(.hikers) }
        #expect(refused.code == .appNotForeground)
        let front = ApplicationInterface.ForegroundRequest(isForeground: true)
        try await old.calls.call(ApplicationInterface.setForeground, front)
        let token = try await old.join(.hikers).pushToken
        let accessoryd = try core.connect()
        _ = try await accessoryd.begin()
        let new = try await AttachedApplication.attach(to: core, isForeground: nil)
        #expect(new.attachment.restored == nil)
        #expect(new.attachment.isForeground)
        old.die()
        #expect(try await watcher.nextEnd() == .applicationGone)
        #expect(try await sound.sourceOutputs().isEmpty)
        let restored = ApplicationInterface.Restored(channelID: .hikers, needsDescriptor: false)
        _ = try await new.events.first {
            $0 == .channelRestored(restored: restored, pushToken: token ?? .init(rawValue: ""))
        }
        _ = try await new.events.first { $0.joinReason == .channelRestoration }
        let mode = ApplicationInterface.TransmissionModeRequest(channelID: .hikers, mode: .fullDuplex)
        try await new.calls.call(ApplicationInterface.setTransmissionMode, mode)
        try await new.calls.leave()
        #expect(try await core.connect().status().channel == nil)
    }

    @Test @EventLoop func `a program that joins without attaching receives no push token`() async throws {
        let core = try await CoreFixture.start()
        let program = try core.connect()
        #expect(try await program.join(application: "Old").pushToken == nil)
        let attached = try await AttachedApplication.attach(to: core)
        try await program.leave()
        #expect(try await attached.join(.hikers).pushToken != nil)
    }

    @Test @EventLoop
    func `an application is notified once that its channel was left while it was not attached`()
        async throws
    {
        let core = try await CoreFixture.start()
        let watcher = try core.connect()
        _ = try await watcher.subscribe()
        let first = try await AttachedApplication.attach(to: core)
        _ = try await first.join(.hikers)
        first.die()
        _ = try await watcher.events.first { $0 == .applicationDetached }
        try await core.connect().leave()
        let second = try await AttachedApplication.attach(to: core)
        let left = ApplicationInterface.Left(channelID: .hikers, reason: .userRequest, explanation: nil)
        #expect(second.attachment.left == left)
        let third = try await AttachedApplication.attach(to: core)
        #expect(third.attachment.left == nil)
    }
}
