import CoreConfiguration
import EventLoop
import Journal
import Logging
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
        let ducking = Ducking(.lower, server: server, directory: nil, log: log)
        let headset = BluetoothHeadset(.transmission, server: server, directory: nil, log: log)
        sound.freeze()
        ducking?.begin()
        ducking?.end()
        #expect(try await lines.next().contains("what other programs play"))
        headset?.serverIsReady()
        for _ in 0..<2 { #expect(try await lines.next().contains("the profile of a Bluetooth headset")) }
        server.close()
        ducking?.serverIsLost()
        headset?.serverIsLost()
        sound.stop()
    }
}
