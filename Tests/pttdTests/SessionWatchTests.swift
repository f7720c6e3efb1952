import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

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
        try stage.logind.lock(session: "/org/freedesktop/login1/session/mine")
        #expect(try await stage.watcher.nextEnd() == .sessionLocked)
    }

    @Test @EventLoop func `locking the session of another user changes nothing`() async throws {
        let stage = try await Stage.start()
        try await stage.beginTransmitting()
        try stage.logind.lock(session: "/org/freedesktop/login1/session/other")
        try await stage.logind.asked.next()
        #expect(try await stage.bridge.status().transmission != nil)
        try await stage.bridge.end()
        #expect(try await stage.watcher.nextEnd() == .released)
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

    static func start() async throws -> Stage {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let bus = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(bus.address)
        let core = try await RunningCore.start(
            sound: sound,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
        )
        let watcher = try core.connect()
        if try await !watcher.subscribe().isAudioServerReady {
            _ = try await watcher.events.first { $0 == .audioServerReady }
        }
        let bridge = try core.connect()
        _ = try await bridge.join()
        // Until it has taken the lock it does not watch either.
        try await logind.taken.next()
        return Stage(sound: sound, bus: bus, logind: logind, core: core, bridge: bridge, watcher: watcher)
    }

    func beginTransmitting() async throws {
        _ = try await bridge.begin()
        _ = try await watcher.events.first { $0 == .audioActivated }
    }
}

/// What the core uses of org.freedesktop.login1, at the outermost edge.
@EventLoop
private final class ScriptedLogind {
    /// A delay lock was taken.
    let taken = Sightings(of: Void.self)
    /// A delay lock was given back.
    let released = Sightings(of: Void.self)
    /// Whose session it is was asked for.
    let asked = Sightings(of: Void.self)

    private let connection: BusConnection
    private var locks: [(Int32, DescriptorSource)] = []
    private var objects: [ExportedObject] = []

    static func start(_ address: String) async throws -> ScriptedLogind {
        let logind = ScriptedLogind(try await BusConnection.open(.address(address)))
        try logind.export()
        _ = try await logind.connection.requestName("org.freedesktop.login1")
        return logind
    }

    private init(_ connection: BusConnection) {
        self.connection = connection
    }

    private func export() throws {
        let inhibit = ExportedMethod(
            "Inhibit",
            inputs: ["what": "s", "who": "s", "why": "s", "mode": "s"],
            outputs: ["lock": "h"]
        ) { [weak self] call in self?.inhibit(call) }
        let manager = ExportedInterface("org.freedesktop.login1.Manager", methods: [inhibit])
        objects.append(try connection.export("/org/freedesktop/login1", [manager]))
        for (name, user) in [("mine", getuid()), ("other", getuid() + 1)] {
            let property = ExportedProperty("User", "(uo)") { [weak self] in
                self?.asked.add(())
                return .structure([.uint32(user), .objectPath("/org/freedesktop/login1/user/x")])
            }
            let path = try #require(ObjectPath("/org/freedesktop/login1/session/\(name)"))
            let session = ExportedInterface("org.freedesktop.login1.Session", properties: [property])
            objects.append(try connection.export(path, [session]))
        }
    }

    /// The lock is one end of a pair of sockets, whose other end tells when the last copy has closed.
    private func inhibit(_ call: MethodInvocation) {
        guard call.arguments.first?.asString == "sleep", call.arguments.last?.asString == "delay" else {
            return call.fail(.invalidArguments("only a delay lock for sleep was expected"))
        }
        guard let pair = try? UnixSocket.pair(.stream) else { return call.fail(.failed("no sockets")) }
        let (reading, lock) = pair.release()
        let released = released
        let source = try? DescriptorSource(reading, .readable) { [weak self] _ in
            released.add(())
            self?.locks.removeAll { $0.0 == reading }
            _ = close(reading)
        }
        guard let source else { return call.fail(.failed("no watch")) }
        locks.append((reading, source))
        call.reply(.descriptor(BusDescriptor(OwnedDescriptor(adopting: lock))))
        taken.add(())
    }

    func prepareForSleep(_ isStarting: Bool) throws {
        try connection.emit(
            BusSignal(
                "/org/freedesktop/login1",
                "org.freedesktop.login1.Manager",
                "PrepareForSleep",
                [.boolean(isStarting)]
            )
        )
    }

    func lock(session path: ObjectPath) throws {
        try connection.emit(
            .propertiesChanged(path, "org.freedesktop.login1.Session", ["LockedHint": .boolean(true)])
        )
    }
}
