import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// A core on a bus with a logind, with a joined channel and a subscriber.
@EventLoop
struct LogindWatchFixture {
    let sound: PrivateAudioServer
    let bus: PrivateBus
    let logind: ScriptedLogind
    let core: CoreFixture
    let accessoryd: CoreClient
    let watcher: CoreClient

    static func start(
        _ sessions: [String: ScriptedLogind.Session] = ["mine": .init()],
        isJoined: Bool = true,
        configuration: String? = nil
    ) async throws -> LogindWatchFixture {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(bus.address, sessions)
        let core = try await CoreFixture.start(
            sound: sound,
            configuration: configuration,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        )
        let watcher = try core.connect()
        if try await !watcher.subscribe().isAudioServerReady {
            _ = try await watcher.events.first { $0 == .audioServerReady }
        }
        let accessoryd = try core.connect()
        if isJoined { _ = try await accessoryd.join() }
        // The core subscribes to sessions only after it has acquired the lock.
        try await logind.acquired.next()
        // It makes the second request only after the replies to those of its start.
        for _ in 0..<2 { try await logind.coreHasReadSignals() }
        return LogindWatchFixture(
            sound: sound,
            bus: bus,
            logind: logind,
            core: core,
            accessoryd: accessoryd,
            watcher: watcher
        )
    }

    func beginTransmitting() async throws {
        _ = try await accessoryd.begin()
        _ = try await watcher.events.first { $0 == .audioActivated }
    }

    func isRefused() async throws {
        _ = try await refusal { _ = try await accessoryd.begin() }
    }

    /// Ends the transmission by releasing the button, which fails if anything before has ended it.
    func endsAsReleased() async throws {
        try await logind.coreHasReadSignals()
        #expect(try await accessoryd.status().transmission != nil)
        try await accessoryd.end()
        #expect(try await watcher.nextEnd() == .released)
    }
}
