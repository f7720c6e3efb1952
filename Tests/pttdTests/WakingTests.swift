import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

/// Starting an application that is not running: by its name on a real bus, and as a unit of a scripted
/// systemd.
@Suite(.serialized) struct WakingTests {
    init() { withRunningLoop() }

    private static let busName = Activation(kind: .busName, name: "org.example.App")
    private static let unit = Activation(kind: .systemdUnit, name: "app.service")

    @Test @EventLoop
    func `a press starts the application by its bus name, and it receives the events that it missed`()
        async throws
    {
        // Runs until the test closes the pipe, or ends.
        let fixture = try await WakingFixture.start(
            Self.busName,
            services: {
                ["org.example.App": "/bin/sh -c \"echo > \($0)/started; exec cat \($0)/pipe\""]
            }
        )
        let pipe = try fixture.openPipe()
        defer { close(pipe) }
        let started = AsyncQueue(of: Void.self)
        let watch = try FileWatch(fixture.directory + "/started") { started.add(()) }
        let accessoryd = try fixture.core.connect()
        let transmissionID = try await accessoryd.begin()
        _ = try await fixture.watcher.events.first { $0 == .applicationStarting }
        try await started.next()
        let application = try await AttachedApplication.attach(to: fixture.core, activation: Self.busName)
        #expect(application.attachment.restored?.channelID == .hikers)
        let events = try await application.next(2)
        #expect(events[0].joinReason == .channelRestoration)
        guard case .transmissionBegan(let transmission) = events[1] else {
            return #expect(Bool(false), "\(events)")
        }
        #expect(transmission.transmissionID == transmissionID)
        _ = try await application.events.first { $0 == .audioActivated }
        // The owner of the name need not be the process that was started: the bus replies when the name has
        // an owner.
        let owner = try await BusConnection.open(.address(fixture.bus.address))
        _ = try await owner.requestName("org.example.App")
        try await accessoryd.end()
        #expect(try await fixture.watcher.nextEnd() == .released)
        withExtendedLifetime((fixture, watch, owner)) {}
    }

    @Test @EventLoop func `a push starts the application, and waits for it`() async throws {
        let systemd = AsyncQueue(of: [String].self)
        let fixture = try await WakingFixture.start(Self.unit, systemd: { systemd.add($0) })
        let pushID = try await fixture.core.connect().push(
            PushInterface.SendRequest(
                token: fixture.pushToken,
                topic: "org.example.App.voip-ptt",
                type: "pushtotalk",
                priority: 10,
                expiration: 0,
                payload: "{}"
            )
        )
        #expect(try await systemd.next() == ["app.service", "replace"])
        let application = try await AttachedApplication.attach(to: fixture.core, activation: Self.unit)
        let events = try await application.next(2)
        guard case .pushReceived(let push) = events[0] else { return #expect(Bool(false), "\(events)") }
        #expect(push.pushID == pushID)
        #expect(events[1].joinReason == .channelRestoration)
    }

    @Test @EventLoop func `a core that starts with a saved channel starts its application`() async throws {
        let systemd = AsyncQueue(of: [String].self)
        let fixture = try await WakingFixture.start(Self.unit, systemd: { systemd.add($0) })
        try await fixture.core.crashAndRestart()
        #expect(try await systemd.next() == ["app.service", "replace"])
        #expect(try await fixture.core.connect().status().channel?.isApplicationStarting == true)
    }

    @Test(arguments: [
        Activation(kind: .busName, name: "org.example.Missing"), Activation(kind: .busName, name: "no name"),
        Activation(kind: .busName, name: "org.example.Broken"),
        Activation(kind: .systemdUnit, name: "app.service"),
    ])
    @EventLoop func `a start that fails ends the transmission with the reason, and the channel stays`(
        activation: Activation
    ) async throws {
        let fixture = try await WakingFixture.start(
            activation,
            services: { _ in ["org.example.Broken": "/bin/false"] }
        )
        let accessoryd = try fixture.core.connect()
        _ = try await accessoryd.begin()
        #expect(try await fixture.watcher.nextEnd() == .applicationUnavailable)
        let line = try await fixture.core.process.lines.first { $0.contains("cannot be started") }
        #expect(line.hasPrefix("notice: "))
        #expect(try await accessoryd.status().channel?.channelID == .hikers)
        #expect(try await accessoryd.status().channel?.isApplicationStarting == false)
    }

    @Test @EventLoop func `without a session bus a start fails with the reason`() async throws {
        let fixture = try await WakingFixture.start(Self.busName)
        fixture.bus.stop()
        let accessoryd = try fixture.core.connect()
        _ = try await accessoryd.begin()
        #expect(try await fixture.watcher.nextEnd() == .applicationUnavailable)
        let line = try await fixture.core.process.lines.first { $0.contains("cannot be started") }
        #expect(line.contains("bus"))
    }

    @Test @EventLoop
    func
        `a channel stays joined if its application does not attach after a restart, and the next press starts it again`()
        async throws
    {
        let systemd = AsyncQueue(of: [String].self)
        let fixture = try await WakingFixture.start(Self.unit, systemd: { systemd.add($0) })
        try await fixture.core.crashAndRestart()
        let watcher = try fixture.core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let accessoryd = try fixture.core.connect()
        _ = try await accessoryd.begin()
        _ = try await systemd.next()
        #expect(try await watcher.nextEnd(within: .seconds(12)) == .applicationUnavailable)
        let line = try await fixture.core.process.lines.first { $0.contains("10 s") }
        #expect(line.hasPrefix("notice: "))
        #expect(try await accessoryd.status().channel?.channelID == .hikers)
        #expect(try await fixture.sound.sourceOutputs().isEmpty)
        _ = try await accessoryd.begin()
        _ = try await systemd.next()
        let application = try await AttachedApplication.attach(
            to: fixture.core,
            activation: Self.unit,
            isForeground: nil
        )
        _ = try await application.events.first { $0 == .audioActivated }
        // It has not been in the foreground.
        #expect(!application.attachment.isForeground)
    }
}

/// A core with a joined channel whose application has died, a session bus, and a sound server.
@EventLoop
private struct WakingFixture {
    let sound: PrivateAudioServer
    let bus: PrivateBus
    let systemd: (BusConnection, ExportedObject)?
    let core: CoreFixture
    let watcher: CoreClient
    let pushToken: PushToken
    let scratch: Scratch
    var directory: String { scratch.directory }

    static func start(
        _ activation: Activation,
        systemd started: (@EventLoop ([String]) -> Void)? = nil,
        services: (String) -> [String: String] = { _ in [:] }
    ) async throws -> WakingFixture {
        let scratch = try Scratch()
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start(services: services(scratch.directory))
        let systemd: (BusConnection, ExportedObject)? =
            if let started { try await Self.systemd(bus, started) } else { nil }
        let core = try await CoreFixture.start(
            sound: sound,
            // It would be started as well.
            configuration: "indicator = false",
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let application = try await AttachedApplication.attach(to: core, activation: activation)
        let pushToken = try #require(try await application.join(.hikers).pushToken)
        application.die()
        _ = try await watcher.events.first { $0 == .applicationDetached }
        return WakingFixture(
            sound: sound,
            bus: bus,
            systemd: systemd,
            core: core,
            watcher: watcher,
            pushToken: pushToken,
            scratch: scratch
        )
    }

    /// The part of org.freedesktop.systemd1 that the core uses.
    private static func systemd(
        _ bus: PrivateBus,
        _ started: @escaping @EventLoop ([String]) -> Void
    ) async throws -> (BusConnection, ExportedObject) {
        let connection = try await BusConnection.open(.address(bus.address))
        let startUnit = ExportedMethod(
            "StartUnit",
            inputs: ["name": "s", "mode": "s"],
            outputs: ["job": "o"]
        ) { call in
            started(call.arguments.compactMap(\.asString))
            call.reply(.objectPath("/org/freedesktop/systemd1/job/1"))
        }
        let manager = ExportedInterface("org.freedesktop.systemd1.Manager", methods: [startUnit])
        let object = try connection.export("/org/freedesktop/systemd1", [manager])
        _ = try await connection.requestName("org.freedesktop.systemd1")
        return (connection, object)
    }

    /// Holds the pipe that a started program reads from.
    func openPipe() throws -> Int32 {
        guard mkfifo("\(directory)/pipe", 0o600) == 0 else { throw SystemError("make a pipe") }
        let descriptor = open("\(directory)/pipe", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open a pipe") }
        return descriptor
    }
}
