import EventLoop
import Glibc
import JSON
import PTTMessages
import TestSupport
import Testing

/// Semantics, “A recording”: its client, and nobody else, receives what the microphone hears.
@Suite(.serialized) struct RecordingTests {
    init() { withRunningLoop() }

    private static let format = AudioFormat(rate: 16_000, channels: 1)

    /// A client that records, and its audio socket.
    @EventLoop
    private final class Recorder {
        let client: CoreClient
        let packets = AsyncQueue(of: [UInt8].self)
        private let audio: OwnedDescriptor
        private var reader: DescriptorSource?

        init(_ core: CoreFixture) async throws {
            client = try core.connect()
            let reply = try await client.call(ChannelInterface.beginTransmitting, RecordingTests.request)
            audio = try core.attachAudio(try #require(reply.token))
            reader = try DescriptorSource(audio.value, .readable) { [weak self] _ in self?.read() }
        }

        isolated deinit { reader?.cancel() }

        private func read() {
            var buffer = [UInt8](repeating: 0, count: 8192)
            let count = recv(audio.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return packets.add(Array(buffer.prefix(count))) }
            reader?.cancel()
            packets.finish()
        }

        /// Closes the audio socket only.
        func hangUp() { _ = shutdown(audio.value, Int32(SHUT_RDWR)) }

        /// Returns when the core has closed the audio socket.
        func isClosed() async throws { _ = try await packets.untilEnd(within: awaitLimit) }
    }

    private static let request = ChannelInterface.BeginRequest(
        channelID: nil,
        source: .handsfreeButton,
        origin: .button,
        role: .multifunction,
        recording: format
    )

    @Test @EventLoop
    func `the one who records receives it in its format, and the end of the socket is that of the recording`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(watcher.subscribe())
        let recorder = try await Recorder(core)
        let packets = try await recorder.packets.next(10)
        let bytes = try #require(Self.format).bytesPerPacket
        #expect(packets.allSatisfy { $0.count == AudioPacketHeader.size + bytes })
        #expect(packets.contains { $0.dropFirst(AudioPacketHeader.size).contains { $0 != 0 } })
        let status = try await recorder.client.status()
        #expect(status.transmission?.recording == Self.format && status.audio == .inactive)
        try await recorder.client.end()
        #expect(try await watcher.nextEnd() == .released)
        try await recorder.isClosed()
        #expect(try await sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop
    func `the application of a joined channel hears nothing of it, and is not notified`() async throws {
        let fixture = try await MicrophoneFixture.start(.pulseAudio)
        let recorder = try await Recorder(fixture.core)
        _ = try await recorder.packets.next(10)
        try await fixture.expectSilence()
        #expect(fixture.activated == nil)
        let stop = ChannelInterface.EndRequest(channelID: nil, origin: nil, cause: nil)
        let refused = try await refusal {
            try await fixture.application.call(ChannelInterface.endTransmitting, stop)
        }
        #expect(refused.code == .transmissionNotFound)
        // Whoever is no application stops it.
        try await fixture.accessoryd.end(nil)
        try await recorder.isClosed()
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
    }

    @Test(arguments: ["connection", "audio socket"]) @EventLoop
    func `a recorder that is gone closes the microphone`(gone: String) async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(watcher.subscribe())
        let recorder = try await Recorder(core)
        _ = try await recorder.packets.next()
        if gone == "connection" { recorder.client.close() } else { recorder.hangUp() }
        let expected = gone == "connection" ? EndCause.connectionLost : .audioConnectionLost
        #expect(try await watcher.nextEnd() == expected)
        #expect(try await sound.sourceOutputs().isEmpty)
        // Another recording begins.
        let second = try await Recorder(core)
        _ = try await second.packets.next()
    }

    @Test @EventLoop func `an application does not record`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(watcher.subscribe())
        let application = try core.connect()
        _ = try await application.join(application: "Test")
        let refused = try await refusal {
            try await application.call(ChannelInterface.beginTransmitting, Self.request)
        }
        #expect(refused.code == .unknown)
    }
}
