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

    @Test @EventLoop func `locking the session of this user ends the transmission`() async throws {
        let stage = try await Stage.start()
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isLocked: true)
        #expect(try await stage.watcher.nextEnd() == .sessionLocked)
    }

    @Test @EventLoop func `leaving the session for another user's on the same screen ends the transmission`()
        async throws
    {
        let stage = try await Stage.start()
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isActive: false)
        #expect(try await stage.watcher.nextEnd() == .sessionLocked)
    }

    @Test @EventLoop func `each further locking ends the transmission of that time`() async throws {
        let stage = try await Stage.start()
        for _ in 0..<2 {
            try await stage.beginTransmitting()
            try stage.logind.change("mine", isActive: false, isLocked: true)
            #expect(try await stage.watcher.nextEnd() == .sessionLocked)
            try stage.logind.change("mine", isActive: true)
            try stage.logind.change("mine", isLocked: false)
            try await stage.logind.isHeard()
        }
    }

    @Test @EventLoop func `a session over the network does not stand for the locked one`() async throws {
        let stage = try await Stage.start(["mine": .init(), "ssh": .init(seat: "")])
        try await stage.beginTransmitting()
        try stage.logind.change("mine", isLocked: true)
        #expect(try await stage.watcher.nextEnd() == .sessionLocked)
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
        try stage.logind.change("mine", isLocked: true)
        #expect(try await stage.watcher.nextEnd() == .sessionLocked)
        try stage.logind.remove("mine")
        try stage.logind.add("next", .init())
        try await stage.logind.isHeard()
        try await stage.beginTransmitting()
        try stage.logind.change("next", isLocked: true)
        #expect(try await stage.watcher.nextEnd() == .sessionLocked)
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

    /// Every order of two sessions, one after the other locked, unlocked, put to the back or to the front.
    @Test func `the person is away exactly while no session is in front and unlocked`() {
        var sessions = SeatedSessions()
        var known = [(true, false), (true, false)]
        for (index, path) in Self.paths.enumerated() {
            sessions.know(path, Self.session(known[index]), user: 7)
        }
        #expect(!sessions.isAway)
        for step in 0..<256 {
            // The digits of the step, from the lowest, are changes of one or the other session.
            for digit in 0..<4 {
                let change = step >> (digit * 2) & 3
                let index = change & 1
                if change & 2 == 0 { known[index].0.toggle() } else { known[index].1.toggle() }
                let name = change & 2 == 0 ? "Active" : "LockedHint"
                let value = change & 2 == 0 ? known[index].0 : known[index].1
                let isKnown = sessions.change(Self.paths[index], [BusKey(name): .boolean(value)])
                #expect(isKnown)
                #expect(sessions.isAway == !known.contains { $0.0 && !$0.1 })
            }
        }
    }

    @Test func `sessions of others, without a screen, or ended make nobody away`() {
        var sessions = SeatedSessions()
        let locked = Self.session((false, true))
        sessions.know("/a", locked, user: 8)
        sessions.know("/b", Self.session((false, true), seat: ""), user: 7)
        sessions.know("/c", [:], user: 7)
        #expect(!sessions.isAway)
        let isKnown = sessions.change("/a", ["LockedHint": .boolean(true)])
        #expect(!isKnown)
        sessions.know("/d", locked, user: 7)
        #expect(sessions.isAway)
        sessions.forget("/d")
        #expect(!sessions.isAway)
    }

    private static let paths: [ObjectPath] = ["/one", "/two"]

    private static func session(_ state: (Bool, Bool), seat: String = "seat0") -> [BusKey: BusValue] {
        [
            "User": .structure([.uint32(7), .objectPath("/user")]),
            "Seat": .structure([.string(seat), .objectPath("/seat")]),
            "Active": .boolean(state.0), "LockedHint": .boolean(state.1),
        ]
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
        isJoined: Bool = true
    ) async throws -> Stage {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(bus.address, sessions)
        let core = try await RunningCore.start(
            sound: sound,
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

    /// Nothing that happened before has ended the transmission.
    func endsAsReleased() async throws {
        try await logind.isHeard()
        #expect(try await bridge.status().transmission != nil)
        try await bridge.end()
        #expect(try await watcher.nextEnd() == .released)
    }
}
