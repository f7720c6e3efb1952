import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing

/// The start of the indicator, as the user's service manager receives it.
@Suite(.timeLimit(.minutes(1)))
struct IndicatorStartTests {
    init() { withRunningLoop() }

    private static let unit = ["app-org.pushtotalk.Indicator.service", "replace"]

    @Test @EventLoop func `the core starts the indicator when a channel is joined`() async throws {
        let (bus, systemd) = try await Self.bus()
        let core = try await CoreFixture.start(environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        let client = try core.connect()
        _ = try await client.join()
        #expect(try await systemd.started.next() == Self.unit)
        try await client.leave()
        _ = try await client.join()
        #expect(try await systemd.started.next() == Self.unit)
    }

    @Test @EventLoop func `a channel that was kept over a restart starts it as well`() async throws {
        let (bus, systemd) = try await Self.bus()
        let core = try await CoreFixture.start(environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        _ = try await core.connect().join()
        #expect(try await systemd.started.next() == Self.unit)
        try await core.crashAndRestart()
        #expect(try await systemd.started.next() == Self.unit)
    }

    @Test @EventLoop func `a program that records from the Push-to-Talk Microphone starts it, once`()
        async throws
    {
        let (bus, systemd) = try await Self.bus()
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(
            sound: sound,
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        let client = try core.connect()
        try await until { try await client.status().virtualMicrophone.isPresent }
        let calls = try [
            CallApplication(sound), CallApplication(sound, properties: ["application.name=Other"]),
        ]
        #expect(try await systemd.started.next() == Self.unit)
        try await until {
            guard case .recorded(let by) = try await client.status().virtualMicrophone else { return false }
            return by.count == 2
        }
        for call in calls { call.kill() }
        try await until { try await client.status().virtualMicrophone == .idle }
        systemd.started.finish()
        await #expect(throws: AsyncQueue<[String]>.Ended.self) { try await systemd.started.next() }
    }

    @Test @EventLoop
    func `each graphical session that begins starts it, as long as there is something to show`() async throws
    {
        let (bus, systemd) = try await Self.bus()
        let core = try await CoreFixture.start(environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
        let client = try core.connect()
        for _ in 1...2 {
            _ = try await client.join()
            #expect(try await systemd.started.next() == Self.unit)
            #expect(try await systemd.watched.next() == "graphical-session.target")
            for _ in 1...2 {
                // It is about to end, has ended, and begins again.
                for isActive in [true, false, true] { try systemd.reportSession(isActive: isActive) }
                #expect(try await systemd.started.next() == Self.unit)
            }
            try await client.leave()
        }
        for isActive in [false, true] { try systemd.reportSession(isActive: isActive) }
        await pause(.milliseconds(300))
        systemd.started.finish()
        await #expect(throws: AsyncQueue<[String]>.Ended.self) { try await systemd.started.next() }
    }

    @Test @EventLoop func `a person who wants no indicator has none`() async throws {
        let (bus, systemd) = try await Self.bus()
        let core = try await CoreFixture.start(
            configuration: "indicator = false",
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        _ = try await core.connect().join()
        await pause(.milliseconds(300))
        systemd.started.finish()
        await #expect(throws: AsyncQueue<[String]>.Ended.self) { try await systemd.started.next() }
    }

    @Test(arguments: [nil, "not installed"]) @EventLoop
    func `where it is not installed, or there is no session bus, the journal has nothing of it`(
        reason: String?
    ) async throws {
        let (bus, systemd) = try await Self.bus(refusing: reason)
        let address = reason == nil ? "unix:path=/nowhere" : bus.address
        let core = try await CoreFixture.start(environment: ["DBUS_SESSION_BUS_ADDRESS": address])
        _ = try await core.connect().join()
        if reason != nil { #expect(try await systemd.started.next() == Self.unit) }
        await pause(.milliseconds(300))
        core.process.signal(15)
        let lines = try await core.process.output().lines
        #expect(!lines.contains { $0.contains("ndicator") || $0.contains("not installed") }, "\(lines)")
    }

    private static func bus(refusing reason: String? = nil) async throws -> (PrivateBus, ScriptedSystemd) {
        let bus = try await PrivateBus.start()
        return (bus, try await ScriptedSystemd.start(bus.address, refusing: reason))
    }
}

/// The part of org.freedesktop.systemd1 that starts units, and watches one.
@EventLoop
private final class ScriptedSystemd {
    /// The arguments of each `StartUnit`.
    let started = AsyncQueue(of: [String].self)
    /// The argument of each `RefUnit`.
    let watched = AsyncQueue(of: String.self)
    private static let session: ObjectPath =
        "/org/freedesktop/systemd1/unit/graphical_2dsession_2etarget"
    private let connection: BusConnection
    private var objects: [ExportedObject] = []
    private var isSessionActive = true

    static func start(_ address: String, refusing reason: String?) async throws -> ScriptedSystemd {
        let systemd = ScriptedSystemd(try await BusConnection.open(.address(address)))
        let startUnit = ExportedMethod(
            "StartUnit",
            inputs: ["name": "s", "mode": "s"],
            outputs: ["job": "o"]
        ) { [started = systemd.started] call in
            started.add(call.arguments.compactMap(\.asString))
            if let reason {
                call.fail(.failed(reason))
            } else {
                call.reply(.objectPath("/org/freedesktop/systemd1/job/1"))
            }
        }
        let refUnit = ExportedMethod("RefUnit", inputs: ["name": "s"]) { [watched = systemd.watched] call in
            watched.add(call.arguments.first?.asString ?? "")
            call.reply()
        }
        let state = ExportedProperty("ActiveState", "s") { [weak systemd] in systemd?.sessionState }
        systemd.objects = [
            try systemd.connection.export(
                "/org/freedesktop/systemd1",
                [ExportedInterface("org.freedesktop.systemd1.Manager", methods: [startUnit, refUnit])]
            ),
            try systemd.connection.export(
                Self.session,
                [ExportedInterface("org.freedesktop.systemd1.Unit", properties: [state])]
            ),
        ]
        _ = try await systemd.connection.requestName("org.freedesktop.systemd1")
        return systemd
    }

    private init(_ connection: BusConnection) {
        self.connection = connection
    }

    private var sessionState: BusValue { .string(isSessionActive ? "active" : "inactive") }

    func reportSession(isActive: Bool) throws {
        isSessionActive = isActive
        try connection.emit(
            .propertiesChanged(
                path: Self.session,
                interface: "org.freedesktop.systemd1.Unit",
                changed: ["ActiveState": sessionState]
            )
        )
    }
}
