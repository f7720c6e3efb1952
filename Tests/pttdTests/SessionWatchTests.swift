import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// Sleep and screen lock, told by a look-alike of logind on a real bus.
@Suite(.serialized) struct SessionWatchTests {
    init() { withRunningLoop() }

    @Test @EventLoop
    func `going to sleep ends the transmission, is waited for, and allows no press until waking`()
        async throws
    {
        let stage = try await Stage.start()
        try await stage.beginTransmitting()
        try stage.logind.prepareForSleep(true)
        #expect(try await stage.watcher.nextEnd() == .suspended)
        // The lock's descriptor closes when the core is ready for sleep.
        try await stage.logind.released.next()
        let refused = try await refusal { _ = try await stage.bridge.begin() }
        #expect(refused.reason.contains("suspend"))
        try stage.logind.prepareForSleep(false)
        try await stage.logind.taken.next()
        try await stage.beginTransmitting()
    }

    @Test @EventLoop func `a locked screen alone neither ends a transmission nor refuses one`() async throws {
        let stage = try await Stage.start()
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isLocked: true)
        try await stage.endsAsReleased()
        try await stage.beginTransmitting()
        try await stage.endsAsReleased()
    }

    // A file that cannot be used may have asked for it.
    @Test(arguments: [#"while-locked = "refuse""#, "while-locked = \"refuse\"\ntime-limit = 0", "["])
    @EventLoop func `a locked screen ends and refuses where that was asked for`(
        configuration: String
    ) async throws {
        let stage = try await Stage.start(configuration: configuration)
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isLocked: true)
        #expect(try await stage.watcher.nextEnd() == .sessionLocked)
        try await stage.isRefused()
        try stage.logind.change("mine", isLocked: false)
        try await stage.logind.isHeard()
        try await stage.beginTransmitting()
    }

    @Test @EventLoop
    func
        `leaving the session for another user's on the same screen ends the transmission and refuses the next`()
        async throws
    {
        let stage = try await Stage.start()
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isActive: false)
        #expect(try await stage.watcher.nextEnd() == .sessionInactive)
        try await stage.isRefused()
        try stage.logind.change("mine", isActive: true)
        try await stage.logind.isHeard()
        try await stage.beginTransmitting()
    }

    @Test @EventLoop
    func `a session in the background stays so while logind is away, and until it tells otherwise`()
        async throws
    {
        let stage = try await Stage.start()
        try stage.logind.change("mine", isActive: false)
        try await stage.logind.isHeard()
        stage.logind.crash()
        try await stage.isRefused()
        let next = try await ScriptedLogind.start(stage.bus.address, ["mine": .init(isActive: false)])
        try await next.taken.next()
        for _ in 0..<2 { try await next.isHeard() }
        try await stage.isRefused()
        try next.change("mine", isActive: true)
        try await next.isHeard()
        try await stage.beginTransmitting()
    }

    @Test @EventLoop func `a session stays in the background, and the machine asleep, while the bus is away`()
        async throws
    {
        for isSleeping in [false, true] {
            let stage = try await Stage.start()
            if isSleeping {
                try stage.logind.prepareForSleep(true)
                try await stage.logind.released.next()
            } else {
                try stage.logind.change("mine", isActive: false)
                try await stage.logind.isHeard()
            }
            stage.bus.stop()
            _ = try await stage.core.process.lines.first { $0.contains("are not noticed for now") }
            try await stage.isRefused()
            try await stage.bus.start()
            let next = try await ScriptedLogind.start(stage.bus.address)
            try await next.taken.next()
            for _ in 0..<2 { try await next.isHeard() }
            try await stage.beginTransmitting()
        }
    }

    @Test @EventLoop func `what happened while the bus was away counts when it is back`() async throws {
        for change in ["sleep", "session"] {
            let stage = try await Stage.start()
            try await stage.beginTransmitting()
            stage.bus.stop()
            _ = try await stage.core.process.lines.first { $0.contains("are not noticed for now") }
            #expect(try await stage.bridge.status().transmission != nil)
            try await stage.bus.start()
            let next = try await ScriptedLogind.start(
                stage.bus.address,
                ["mine": .init(isActive: change != "session")],
                isPreparingForSleep: change == "sleep"
            )
            let cause = try await stage.watcher.nextEnd()
            #expect(cause == (change == "sleep" ? .suspended : .sessionInactive))
            withExtendedLifetime(next) {}
        }
    }

    @Test @EventLoop
    func `a stranger that has the core thrown off the bus neither ends a transmission nor hides a seat`()
        async throws
    {
        let stage = try await Stage.start()
        let stranger = try RawBusPeer(stage.bus.address)
        try await stage.beginTransmitting()
        for _ in 0..<2 {
            let core = stage.logind.core
            try stranger.signal("/", "org.example.A", "Large", to: core, "ay", .marshalledBytes(5 << 20))
            try await stage.logind.taken.next()
        }
        try await stage.endsAsReleased()
        try await stage.beginTransmitting()
        let core = stage.logind.core
        try stranger.signal("/", "org.example.A", "Large", to: core, "ay", .marshalledBytes(5 << 20))
        try stage.logind.change("mine", isActive: false)
        #expect(try await stage.watcher.nextEnd() == .sessionInactive)
    }

    @Test @EventLoop func `a stranger cannot pass for logind`() async throws {
        let stage = try await Stage.start()
        let stranger = try await BusConnection.open(.address(stage.bus.address))
        try await stage.beginTransmitting()
        let login = "org.freedesktop.login1"
        let manager: ObjectPath = "/org/freedesktop/login1"
        let session: ObjectPath = "/org/freedesktop/login1/session/mine"
        let forged = [
            BusSignal(manager, "\(login).Manager", "PrepareForSleep", [.boolean(true)]),
            .propertiesChanged(session, "\(login).Session", ["Active": .boolean(false)]),
            BusSignal(
                manager,
                "\(login).Manager",
                "SessionRemoved",
                [.string("mine"), .objectPath(session)]
            ),
            BusSignal(
                "/org/freedesktop/DBus",
                "org.freedesktop.DBus",
                "NameOwnerChanged",
                [.string(login), .string(stage.logind.name), .string(stranger.uniqueName)]
            ),
        ]
        for _ in 0..<2 {
            for signal in forged { try stranger.emit(signal, to: stage.logind.core) }
        }
        let ping = MethodCall(to: stage.logind.core, "/", "org.freedesktop.DBus.Peer", "Ping")
        _ = try await stranger.call(ping)
        try await stage.endsAsReleased()
    }

    @Test @EventLoop func `each further leaving ends the transmission of that time`() async throws {
        let stage = try await Stage.start()
        for _ in 0..<2 {
            try await stage.beginTransmitting()
            try stage.logind.change("mine", isActive: false, isLocked: true)
            #expect(try await stage.watcher.nextEnd() == .sessionInactive)
            try stage.logind.change("mine", isActive: true)
            try stage.logind.change("mine", isLocked: false)
            try await stage.logind.isHeard()
        }
    }

    @Test @EventLoop func `a session over the network does not stand for the one in the background`()
        async throws
    {
        let stage = try await Stage.start(["mine": .init(), "ssh": .init(seat: "")])
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isActive: false)
        #expect(try await stage.watcher.nextEnd() == .sessionInactive)
    }

    @Test @EventLoop func `going over to another session of the same user changes nothing`() async throws {
        let stage = try await Stage.start(["mine": .init(), "console": .init(isActive: false)])
        try await stage.beginTransmitting()
        try stage.logind.change("console", isActive: true)
        try stage.logind.change("mine", isActive: false, isLocked: true)
        try await stage.endsAsReleased()
    }

    @Test @EventLoop func `a new session counts from its beginning to its end`() async throws {
        let stage = try await Stage.start([:])
        try stage.logind.add("mine", .init())
        try await stage.logind.isHeard()
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isActive: false)
        #expect(try await stage.watcher.nextEnd() == .sessionInactive)
        try stage.logind.remove("mine")
        try stage.logind.add("next", .init())
        try await stage.logind.isHeard()
        try await stage.beginTransmitting()
        try stage.logind.change("next", isActive: false)
        #expect(try await stage.watcher.nextEnd() == .sessionInactive)
    }

    @Test @EventLoop func `a core that starts behind a locked screen has no application in the foreground`()
        async throws
    {
        let stage = try await Stage.start(["mine": .init(isLocked: true)], isJoined: false)
        // What was asked for at the start has been answered before the core can ask for the second.
        for _ in 0..<2 { try await stage.logind.isHeard() }
        let application = try await AttachedApplication.attach(to: stage.core)
        let refused = try await refusal { _ = try await application.join(.hikers) }
        #expect(refused.code == .appNotForeground)
        try stage.logind.change("mine", isLocked: false)
        try await stage.logind.isHeard()
        _ = try await application.join(.hikers)
    }

    @Test @EventLoop func `locking the session of another user changes nothing`() async throws {
        let stage = try await Stage.start(["mine": .init(), "other": .init(user: getuid() + 1)])
        try await stage.beginTransmitting()
        try stage.logind.change("other", isActive: false, isLocked: true)
        try await stage.endsAsReleased()
    }
}

/// A core on a bus with a logind, joined and watched.
@EventLoop
private struct Stage {
    let sound: PrivateAudioServer
    let bus: PrivateBus
    let logind: ScriptedLogind
    let core: RunningCore
    let bridge: CoreClient
    let watcher: CoreClient

    static func start(
        _ sessions: [String: ScriptedLogind.Session] = ["mine": .init()],
        isJoined: Bool = true,
        configuration: String? = nil
    ) async throws -> Stage {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(bus.address, sessions)
        let core = try await RunningCore.start(
            sound: sound,
            configuration: configuration,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        )
        let watcher = try core.connect()
        if try await !watcher.subscribe().isAudioServerReady {
            _ = try await watcher.events.first { $0 == .audioServerReady }
        }
        let bridge = try core.connect()
        if isJoined { _ = try await bridge.join() }
        // Until it has taken the lock it does not watch either.
        try await logind.taken.next()
        return Stage(sound: sound, bus: bus, logind: logind, core: core, bridge: bridge, watcher: watcher)
    }

    func beginTransmitting() async throws {
        _ = try await bridge.begin()
        _ = try await watcher.events.first { $0 == .audioActivated }
    }

    func isRefused() async throws {
        _ = try await refusal { _ = try await bridge.begin() }
    }

    /// Nothing that happened before has ended the transmission.
    func endsAsReleased() async throws {
        try await logind.isHeard()
        #expect(try await bridge.status().transmission != nil)
        try await bridge.end()
        #expect(try await watcher.nextEnd() == .released)
    }
}
