import EventLoop
import Glibc
import JSON
import PTTMessages
import ServiceClient
import TestSupport
import Testing
import Varlink

/// Connections to the audio socket, accepted and refused.
@Suite(.serialized) struct AudioSocketTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `an application whose audio connection was lost connects again with its token`()
        async throws
    {
        let fixture = try await AudioSocketFixture.start()
        let first = try fixture.peer()
        try await fixture.expectFrames(at: first)
        first.close()
        _ = try await fixture.core.process.lines.first { $0.contains("audio socket: ") }
        let second = try fixture.peer()
        try await fixture.expectFrames(at: second)
        // Immediately: the core may accept the new connection before it notices the end of the former one.
        for _ in 0..<20 {
            second.close()
            let next = try fixture.peer()
            try await fixture.expectFrames(at: next)
            next.close()
        }
    }

    @Test @EventLoop
    func `an application that connects while it transmits receives all of that, and nothing older`()
        async throws
    {
        let fixture = try await AudioSocketFixture.start()
        let levels = AsyncQueue(of: ChannelInterface.LevelReport.self)
        let meter = try fixture.core.connect()
        meter.client.subscribe(ChannelInterface.subscribeLevels.qualifiedName) { answer, _ in
            if let report: ChannelInterface.LevelReport = try? answer.get().decode() { levels.add(report) }
        }
        _ = try await fixture.accessoryd.begin()
        _ = try await levels.first { $0.microphone != nil }
        try await fixture.accessoryd.end()
        let start = MonotonicTime.now
        _ = try await levels.first { $0.microphone == nil }
        _ = try await fixture.accessoryd.begin()
        _ = try await levels.first { $0.microphone != nil }
        let first = try await fixture.peer().packets.next()
        #expect(first.sequence == 0 && first.timestamp > start)
        meter.close()
    }

    @Test @EventLoop
    func `losing the audio connection ends the transmission, and the next press works`()
        async throws
    {
        let fixture = try await AudioSocketFixture.start()
        let first = try fixture.peer()
        _ = try await fixture.accessoryd.begin()
        _ = try await first.packets.next()
        first.close()
        #expect(try await fixture.watcher.nextEnd() == .audioConnectionLost)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
        try await fixture.expectFrames(at: try fixture.peer())
    }

    @Test @EventLoop func `an application that no longer reads its frames ends its transmission`()
        async throws
    {
        let fixture = try await AudioSocketFixture.start()
        let first = try fixture.peer()
        _ = try await fixture.accessoryd.begin()
        _ = try await first.packets.next()
        first.stopReading()
        #expect(try await fixture.watcher.nextEnd() == .audioConnectionLost)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
        try await fixture.expectFrames(at: try fixture.peer())
    }

    @Test @EventLoop func `a token in use is refused to others, and their attempt has no effect`()
        async throws
    {
        let fixture = try await AudioSocketFixture.start()
        let first = try fixture.peer()
        try await fixture.expectFrames(at: first)
        let second = try fixture.peer()
        try await second.ended.next()
        try await fixture.expectFrames(at: first)
    }

    @Test @EventLoop func `the token of an application that has disconnected is not valid`() async throws {
        let fixture = try await AudioSocketFixture.start()
        let connection = try fixture.peer()
        try await fixture.expectFrames(at: connection)
        fixture.application.close()
        try await connection.ended.next()
        let second = try fixture.peer()
        try await second.ended.next()
        withExtendedLifetime(second) {}
    }

    @Test(arguments: [0, 1, 31, 32, 33, 9000])
    @EventLoop func `a message that is not a token ends the connection, whatever its length`(length: Int)
        async throws
    {
        let core = try await CoreFixture.start()
        for character in ["0", "\0", "\u{301}"] {
            let peer = try AudioPeer(core.attachAudio(String(repeating: character, count: length)))
            try await peer.ended.next()
        }
        _ = try await core.connect().status()
    }

    @Test @EventLoop
    func `silent connections are closed in favour of new ones, and the application can connect`()
        async throws
    {
        let fixture = try await AudioSocketFixture.start()
        let silent = try (0..<40).map { _ in try AudioPeer(fixture.core.connectAudio()) }
        // More connections than the limit: the oldest are closed.
        for peer in silent.prefix(30) { try await peer.ended.next() }
        try await fixture.expectFrames(at: try fixture.peer())
        try await fixture.expectFrames(at: try fixture.peer(again: true))
    }
}

/// A core with a plain program that receives the frames, and a client that presses.
@EventLoop
private final class AudioSocketFixture {
    let sound: PrivateAudioServer
    let core: CoreFixture
    let application: CoreClient
    let accessoryd: CoreClient
    let watcher: CoreClient
    private let token: String
    private var latest: AudioPeer?

    static func start() async throws -> AudioSocketFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try core.connect()
        let token = try #require(try await application.join(application: "Test").token)
        return try AudioSocketFixture(
            sound: sound,
            core: core,
            application: application,
            watcher: watcher,
            token: token
        )
    }

    private init(
        sound: PrivateAudioServer,
        core: CoreFixture,
        application: CoreClient,
        watcher: CoreClient,
        token: String
    ) throws {
        self.sound = sound
        self.core = core
        self.application = application
        self.watcher = watcher
        self.token = token
        accessoryd = try core.connect()
    }

    /// A connection that has presented the application's token; `again` ends the former one before.
    func peer(again: Bool = false) throws -> AudioPeer {
        if again { latest?.close() }
        let peer = try AudioPeer(core.attachAudio(token))
        latest = peer
        return peer
    }

    func expectFrames(at peer: AudioPeer) async throws {
        // Two connections: the core may not have read the token yet.
        for _ in 0..<2 { _ = try await core.connect().status() }
        _ = try await accessoryd.begin()
        _ = try await peer.packets.next()
        try await accessoryd.end()
        #expect(try await watcher.nextEnd() == .released)
    }
}

/// The client's end of the audio socket.
@EventLoop
private final class AudioPeer {
    let packets = AsyncQueue(of: AudioPacketHeader.self)
    let ended = AsyncQueue(of: Void.self)
    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    init(_ descriptor: consuming OwnedDescriptor) throws {
        self.descriptor = descriptor
        source = try DescriptorSource(self.descriptor.value, .readable) { [weak self] _ in self?.read() }
    }

    isolated deinit { close() }

    func close() {
        guard source != nil else { return }
        source?.cancel()
        source = nil
        _ = shutdown(descriptor.value, Int32(SHUT_RDWR))
    }

    /// The core notices that only when it sends.
    func stopReading() { _ = shutdown(descriptor.value, Int32(SHUT_RD)) }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = recv(descriptor.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0, let header = AudioPacketHeader(buffer) {
            packets.add(header)
        } else {
            source?.cancel()
            source = nil
            ended.add(())
        }
    }
}
