import CoreConfiguration
import EventLoop
import Journal
import Logging
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// Lists that a sound server does not answer.
@Suite(.serialized) struct DeviceListTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a list that was not answered is asked for again, unless it matters no longer`()
        async throws
    {
        let fixture = try await DeviceListFixture.start()
        let (server, log) = (fixture.server, fixture.log)
        let ducking = Ducking(.lower, server: server, directory: nil, log: log)
        let headset = BluetoothHeadset(.transmission, server: server, directory: nil, log: log)
        fixture.sound.freeze()
        ducking?.begin()
        ducking?.end()
        #expect(try await fixture.lines.next().contains("what other programs play"))
        headset?.serverIsReady()
        for _ in 0..<2 {
            #expect(try await fixture.lines.next().contains("the profile of a Bluetooth headset"))
        }
        server.close()
        ducking?.serverIsLost()
        headset?.serverIsLost()
        fixture.sound.stop()
    }

    @Test @EventLoop func `a speaker that returns is noticed although the server hangs at that moment`()
        async throws
    {
        let fixture = try await DeviceListFixture.start()
        let (sound, speaker) = (fixture.sound, Speaker(server: fixture.server, log: fixture.log))
        let (opened, failed) = (AsyncQueue(of: Void.self), AsyncQueue(of: Void.self))
        let (listed, returned) = (AsyncQueue(of: Void.self), AsyncQueue(of: Void.self))
        speaker.returned = { returned.add(()) }
        // Made first, it is told of the new speaker before the list is asked for.
        let observation = fixture.server.observe([.sink]) { if $0.type == .new { sound.freeze() } }
        speaker.open(.standard, started: { opened.add(()) }, failed: { _, _ in failed.add(()) })
        try await opened.next()
        try await sound.pactl("unload-module", "module-null-sink")
        try await failed.next()
        // The list that follows the removal has been answered with the second of these.
        for _ in 0..<2 {
            fixture.server.list([.sink]) { _ in listed.add(()) }
            try await listed.next()
        }
        let loading = Task { try await sound.pactl("load-module", "module-null-sink", "sink_name=new") }
        for _ in 0..<2 { _ = try await fixture.lines.first { $0.contains("a speaker that has returned") } }
        sound.thaw()
        try await returned.next()
        _ = try await loading.value
        observation.cancel()
        speaker.close()
        fixture.server.close()
        sound.stop()
    }
}

@EventLoop
private struct DeviceListFixture {
    let sound: PrivateAudioServer
    let server: AudioServer
    /// The logged lines.
    let lines: AsyncQueue<String>
    let log: RateLimitedLog

    static func start() async throws -> DeviceListFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let server = AudioServer(applicationName: "Test", address: sound.address)
        let (ready, lines) = (AsyncQueue(of: Void.self), AsyncQueue(of: String.self))
        server.stateChanged = { if case .ready = $0 { ready.add(()) } }
        server.connect()
        try await ready.next()
        let handler = JournalLogHandler(
            isJournal: false,
            isPrintable: { _ in true },
            write: { lines.add($0) }
        )
        let log = RateLimitedLog(Logger(label: "DeviceListTests") { _ in handler })
        return DeviceListFixture(sound: sound, server: server, lines: lines, log: log)
    }
}
