import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// A core that starts before logind has said which session is active, and whether its screen is locked.
@Suite(.serialized) struct UnknownSessionTests {
    init() { withRunningLoop() }

    @Test @EventLoop
    func `while the bus hangs no press opens the microphone, and one does once logind has answered`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(bus.address, ["mine": .init()])
        bus.signal(SIGSTOP)
        defer { withExtendedLifetime((sound, bus, logind)) {} }
        let core = try await CoreFixture.start(
            sound: sound,
            configuration: #"while-locked = "refuse""#,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        )
        defer { withExtendedLifetime(core) {} }
        let (watcher, accessoryd) = (try core.connect(), try core.connect())
        let status = try await watcher.subscribe()
        _ = try await accessoryd.join()
        for _ in 0..<3 {
            let refused = try await refusal { _ = try await accessoryd.begin() }
            #expect(refused.reason.contains("logind has not said"))
        }
        #expect(try await sound.sourceOutputs().isEmpty)

        bus.signal(SIGCONT)
        try await logind.acquired.next()
        // The core makes the second request only after the replies to those of its start.
        for _ in 0..<2 { try await logind.coreHasReadSignals() }
        try await watcher.audioServerIsReady(status)
        _ = try await accessoryd.begin()
        _ = try await watcher.events.first { $0 == .audioActivated }
    }
}
