import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// Sleep and screen lock, as a scripted logind reports them on a real bus.
@Suite(.serialized) struct LogindWatchTests {
    init() { withRunningLoop() }

    @Test @EventLoop
    func `going to sleep ends the transmission, waits for that, and refuses presses until resume`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start()
        try await fixture.beginTransmitting()
        try fixture.logind.prepareForSleep(true)
        #expect(try await fixture.watcher.nextEnd() == .suspended)
        // The lock's descriptor closes when the core is ready for sleep.
        try await fixture.logind.released.next()
        let refused = try await refusal { _ = try await fixture.accessoryd.begin() }
        #expect(refused.reason.contains("suspend"))
        try fixture.logind.prepareForSleep(false)
        try await fixture.logind.acquired.next()
        try await fixture.beginTransmitting()
    }

    @Test @EventLoop func `a locked screen alone neither ends a transmission nor refuses one`() async throws {
        let fixture = try await LogindWatchFixture.start()
        try await fixture.beginTransmitting()
        try fixture.logind.change("mine", isLocked: true)
        try await fixture.endsAsReleased()
        try await fixture.beginTransmitting()
        try await fixture.endsAsReleased()
    }

    // A file that cannot be used may have asked to refuse.
    @Test(arguments: [#"while-locked = "refuse""#, "while-locked = \"refuse\"\ntime-limit = 0", "["])
    @EventLoop func `a locked screen ends and refuses transmissions if the configuration says so`(
        configuration: String
    ) async throws {
        let fixture = try await LogindWatchFixture.start(configuration: configuration)
        try await fixture.beginTransmitting()
        try fixture.logind.change("mine", isLocked: true)
        #expect(try await fixture.watcher.nextEnd() == .sessionLocked)
        try await fixture.isRefused()
        try fixture.logind.change("mine", isLocked: false)
        try await fixture.logind.coreHasReadSignals()
        try await fixture.beginTransmitting()
    }

    @Test @EventLoop
    func
        `leaving the session for another user's on the same screen ends the transmission and refuses the next`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start()
        try await fixture.beginTransmitting()
        try fixture.logind.change("mine", isActive: false)
        #expect(try await fixture.watcher.nextEnd() == .sessionInactive)
        try await fixture.isRefused()
        try fixture.logind.change("mine", isActive: true)
        try await fixture.logind.coreHasReadSignals()
        try await fixture.beginTransmitting()
    }

    @Test @EventLoop
    func `an inactive session stays inactive while logind is gone, until it reports otherwise`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start()
        try fixture.logind.change("mine", isActive: false)
        try await fixture.logind.coreHasReadSignals()
        fixture.logind.crash()
        try await fixture.isRefused()
        let next = try await ScriptedLogind.start(fixture.bus.address, ["mine": .init(isActive: false)])
        try await next.acquired.next()
        for _ in 0..<2 { try await next.coreHasReadSignals() }
        try await fixture.isRefused()
        try next.change("mine", isActive: true)
        try await next.coreHasReadSignals()
        try await fixture.beginTransmitting()
    }

    @Test @EventLoop func `a session stays inactive, and the machine suspended, while the bus is gone`()
        async throws
    {
        for isSleeping in [false, true] {
            let fixture = try await LogindWatchFixture.start()
            if isSleeping {
                try fixture.logind.prepareForSleep(true)
                try await fixture.logind.released.next()
            } else {
                try fixture.logind.change("mine", isActive: false)
                try await fixture.logind.coreHasReadSignals()
            }
            fixture.bus.stop()
            _ = try await fixture.core.process.lines.first { $0.contains("are not detected for now") }
            try await fixture.isRefused()
            try await fixture.bus.start()
            let next = try await ScriptedLogind.start(fixture.bus.address)
            try await next.acquired.next()
            for _ in 0..<2 { try await next.coreHasReadSignals() }
            try await fixture.beginTransmitting()
        }
    }

    @Test @EventLoop
    func `a logind that does not say at first whether the machine has resumed is asked again`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start()
        try fixture.logind.prepareForSleep(true)
        try await fixture.logind.released.next()
        fixture.logind.crash()
        let next = try await ScriptedLogind.start(fixture.bus.address, isPreparingForSleep: nil)
        try await next.acquired.next()
        for _ in 0..<2 { try await next.coreHasReadSignals() }
        try await fixture.isRefused()
        next.isPreparingForSleep = false
        // Refused until then.
        try await until { (try? await fixture.accessoryd.begin()) != nil }
    }

    @Test @EventLoop func `changes that happen while the bus is gone apply when it is back`() async throws {
        for change in ["sleep", "session"] {
            let fixture = try await LogindWatchFixture.start()
            try await fixture.beginTransmitting()
            fixture.bus.stop()
            _ = try await fixture.core.process.lines.first { $0.contains("are not detected for now") }
            #expect(try await fixture.accessoryd.status().transmission != nil)
            try await fixture.bus.start()
            let next = try await ScriptedLogind.start(
                fixture.bus.address,
                ["mine": .init(isActive: change != "session")],
                isPreparingForSleep: change == "sleep"
            )
            let cause = try await fixture.watcher.nextEnd()
            #expect(cause == (change == "sleep" ? .suspended : .sessionInactive))
            withExtendedLifetime(next) {}
        }
    }

    @Test @EventLoop
    func
        `a process that has the core disconnected from the bus neither ends a transmission nor hides a seat`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start()
        let stranger = try RawBusPeer(fixture.bus.address)
        try await fixture.beginTransmitting()
        for _ in 0..<2 {
            let core = fixture.logind.core
            try stranger.signal(
                path: "/",
                interface: "org.example.A",
                member: "Large",
                to: core,
                signature: "ay",
                body: .marshalledBytes(5 << 20)
            )
            try await fixture.logind.acquired.next()
        }
        try await fixture.endsAsReleased()
        try await fixture.beginTransmitting()
        let core = fixture.logind.core
        try stranger.signal(
            path: "/",
            interface: "org.example.A",
            member: "Large",
            to: core,
            signature: "ay",
            body: .marshalledBytes(5 << 20)
        )
        try fixture.logind.change("mine", isActive: false)
        #expect(try await fixture.watcher.nextEnd() == .sessionInactive)
    }

    @Test @EventLoop func `another process cannot impersonate logind`() async throws {
        let fixture = try await LogindWatchFixture.start()
        let stranger = try await BusConnection.open(.address(fixture.bus.address))
        try await fixture.beginTransmitting()
        let login = "org.freedesktop.login1"
        let manager: ObjectPath = "/org/freedesktop/login1"
        let session: ObjectPath = "/org/freedesktop/login1/session/mine"
        let forged = [
            BusSignal(
                path: manager,
                interface: "\(login).Manager",
                member: "PrepareForSleep",
                arguments: [.boolean(true)]
            ),
            .propertiesChanged(
                path: session,
                interface: "\(login).Session",
                changed: ["Active": .boolean(false)]
            ),
            BusSignal(
                path: manager,
                interface: "\(login).Manager",
                member: "SessionRemoved",
                arguments: [.string("mine"), .objectPath(session)]
            ),
            BusSignal(
                path: "/org/freedesktop/DBus",
                interface: "org.freedesktop.DBus",
                member: "NameOwnerChanged",
                arguments: [.string(login), .string(fixture.logind.name), .string(stranger.uniqueName)]
            ),
        ]
        for _ in 0..<2 {
            for signal in forged { try stranger.emit(signal, to: fixture.logind.core) }
        }
        let ping = RemoteInterface(service: fixture.logind.core, path: "/", name: "org.freedesktop.DBus.Peer")
            .call("Ping")
        _ = try await stranger.call(ping)
        try await fixture.endsAsReleased()
    }

    @Test @EventLoop func `each further change to another session ends the current transmission`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start()
        for _ in 0..<2 {
            try await fixture.beginTransmitting()
            try fixture.logind.change("mine", isActive: false, isLocked: true)
            #expect(try await fixture.watcher.nextEnd() == .sessionInactive)
            try fixture.logind.change("mine", isActive: true)
            try fixture.logind.change("mine", isLocked: false)
            try await fixture.logind.coreHasReadSignals()
        }
    }

    @Test @EventLoop func `a session over the network does not count as the active one`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start(["mine": .init(), "ssh": .init(seat: "")])
        try await fixture.beginTransmitting()
        try fixture.logind.change("mine", isActive: false)
        #expect(try await fixture.watcher.nextEnd() == .sessionInactive)
    }

    @Test @EventLoop func `switching to another session of the same user changes nothing`() async throws {
        let fixture = try await LogindWatchFixture.start([
            "mine": .init(), "console": .init(isActive: false),
        ])
        try await fixture.beginTransmitting()
        try fixture.logind.change("console", isActive: true)
        try fixture.logind.change("mine", isActive: false, isLocked: true)
        try await fixture.endsAsReleased()
    }

    @Test @EventLoop func `a new session counts from its start to its end`() async throws {
        let fixture = try await LogindWatchFixture.start([:])
        try fixture.logind.add("mine", .init())
        try await fixture.logind.coreHasReadSignals()
        try await fixture.beginTransmitting()
        try fixture.logind.change("mine", isActive: false)
        #expect(try await fixture.watcher.nextEnd() == .sessionInactive)
        try fixture.logind.remove("mine")
        try fixture.logind.add("next", .init())
        try await fixture.logind.coreHasReadSignals()
        try await fixture.beginTransmitting()
        try fixture.logind.change("next", isActive: false)
        #expect(try await fixture.watcher.nextEnd() == .sessionInactive)
    }

    @Test @EventLoop
    func `a core that starts while the screen is locked has no application in the foreground`()
        async throws
    {
        let fixture = try await LogindWatchFixture.start(["mine": .init(isLocked: true)], isJoined: false)
        // The core makes the second request only after the replies to those of its start.
        for _ in 0..<2 { try await fixture.logind.coreHasReadSignals() }
        let application = try await AttachedApplication.attach(to: fixture.core)
        let refused = try await refusal { _ = try await application.join(.hikers) }
        #expect(refused.code == .appNotForeground)
        try fixture.logind.change("mine", isLocked: false)
        try await fixture.logind.coreHasReadSignals()
        _ = try await application.join(.hikers)
    }

    @Test @EventLoop func `locking the session of another user changes nothing`() async throws {
        let fixture = try await LogindWatchFixture.start([
            "mine": .init(), "other": .init(user: getuid() + 1),
        ])
        try await fixture.beginTransmitting()
        try fixture.logind.change("other", isActive: false, isLocked: true)
        try await fixture.endsAsReleased()
    }
}
