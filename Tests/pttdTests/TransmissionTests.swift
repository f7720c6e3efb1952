import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// A transmission from its beginning to each of its ends, with a real sound server.
@Suite(.serialized) struct TransmissionTests {
    init() { withRunningLoop() }

    /// A core with an application that has joined, and a subscriber.
    @EventLoop private func joined() async throws -> TransmissionFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        if try await !watcher.subscribe().isAudioServerReady {
            _ = try await watcher.events.first { $0 == .audioServerReady }
        }
        let application = try core.connect()
        let token = try #require(try await application.join(application: "Test").token)
        return TransmissionFixture(
            sound: sound,
            core: core,
            application: application,
            watcher: watcher,
            token: token
        )
    }

    @Test @EventLoop func `frames arrive in order while the button is held, and none after its release`()
        async throws
    {
        let fixture = try await joined()
        defer { withExtendedLifetime(fixture) {} }
        let audio = try fixture.core.attachAudio(fixture.token).release()
        defer { _ = close(audio) }
        let packets = AsyncQueue(of: [UInt8].self)
        let reader = try DescriptorSource(audio, .readable) { _ in
            var buffer = [UInt8](repeating: 0, count: 8192)
            let count = recv(audio, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { packets.add(Array(buffer.prefix(count))) }
        }
        defer { reader.cancel() }
        let accessoryd = try fixture.core.connect()
        _ = try await accessoryd.begin()
        let first = try await packets.next(5)
        #expect(first.allSatisfy { $0.count == AudioPacketHeader.size + AudioFormat.standard.bytesPerPacket })
        #expect(first.compactMap { AudioPacketHeader($0)?.sequence } == [0, 1, 2, 3, 4])
        let times = first.compactMap { AudioPacketHeader($0)?.timestamp }
        #expect(times == times.sorted())
        #expect(first.contains { $0.dropFirst(AudioPacketHeader.size).contains { $0 != 0 } })
        try await accessoryd.end()
        #expect(try await fixture.watcher.nextEnd() == .released)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
        #expect(try await accessoryd.status().audio == .inactive)
    }

    @Test @EventLoop
    func `after the time limit a button must be released first, and the application may begin again`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound, configuration: "time-limit = 1")
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let itself = ChannelInterface.BeginRequest(
            channelID: .hikers,
            source: .developerRequest,
            origin: Origin(kind: .application, identifier: "1", name: "App")
        )
        for _ in 0..<2 {
            try await application.calls.call(
                ChannelInterface.beginTransmitting,
                itself
            )
            #expect(try await watcher.nextEnd() == .timeLimit)
        }
        let accessoryd = try core.connect()
        _ = try await accessoryd.begin()
        #expect(try await watcher.nextEnd() == .timeLimit)
        let refused = try await refusal { _ = try await accessoryd.begin() }
        #expect(refused.code == .transmissionNotAllowed)
        await #expect(throws: VarlinkCallError.self) { try await accessoryd.end() }
        _ = try await accessoryd.begin()
        #expect(try await watcher.nextEnd() == .timeLimit)
        #expect(try await sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop
    func `audio is published as active after the transmission began, and as inactive after it ended`()
        async throws
    {
        let fixture = try await joined()
        defer { withExtendedLifetime(fixture) {} }
        let accessoryd = try fixture.core.connect()
        let identifier = try await accessoryd.begin()
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        try await accessoryd.end()
        #expect(try await fixture.watcher.nextEnd() == .released)
        #expect(try await fixture.watcher.events.next() == .audioDeactivated)
        #expect(identifier.rawValue == 1)
    }

    @Test @EventLoop func `the death of ptt-accessoryd ends its transmission and closes the microphone`()
        async throws
    {
        let fixture = try await joined()
        defer { withExtendedLifetime(fixture) {} }
        let accessoryd = try fixture.core.connect()
        _ = try await accessoryd.begin()
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        accessoryd.close()
        #expect(try await fixture.watcher.nextEnd() == .connectionLost)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop func `the death of the application ends the transmission and leaves the channel joined`()
        async throws
    {
        let fixture = try await joined()
        defer { withExtendedLifetime(fixture) {} }
        let accessoryd = try fixture.core.connect()
        _ = try await accessoryd.begin()
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        fixture.application.close()
        #expect(try await fixture.watcher.nextEnd() == .applicationGone)
        _ = try await fixture.watcher.events.first { $0 == .applicationDetached }
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
        #expect(try await accessoryd.status().channel?.application == nil)
        let refused = try await refusal { _ = try await accessoryd.begin() }
        #expect(refused.reason.contains("start it"))
    }

    @Test @EventLoop func `SIGTERM closes the microphone before the core exits`() async throws {
        let fixture = try await joined()
        defer { withExtendedLifetime(fixture) {} }
        let accessoryd = try fixture.core.connect()
        _ = try await accessoryd.begin()
        _ = try await fixture.watcher.events.first { $0 == .audioActivated }
        fixture.core.process.signal(SIGTERM)
        #expect(try await fixture.core.process.exitStatus() == 0)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
    }
}

/// A core with an application that has joined, a subscriber, and a sound server.
private struct TransmissionFixture {
    let sound: PrivateAudioServer
    let core: CoreFixture
    let application: CoreClient
    let watcher: CoreClient
    let token: String
}
