import DBus
import EventLoop
import Glibc
import Journal
import Logging
import PTTCore
import PTTMessages
import PulseAudio
import TestSupport
import Testing

@testable import pttd

/// Calls that services on a bus report.
@Suite struct CallServiceTests {
    init() { withRunningLoop() }

    // MARK: ModemManager

    @Test(arguments: [
        ScriptedModemManager.State.dialing, .ringingOut, .ringingIn, .active, .held, .waiting,
    ])
    @EventLoop func `a call that ModemManager adds counts in each state from dialling on`(
        state: ScriptedModemManager.State
    ) async throws {
        let fixture = try await CallFixture.start()
        let modemManager = try await fixture.startModemManager()
        try modemManager.add(1, state)
        #expect(try await fixture.calls.next() == .modem)
        try modemManager.delete(1)
        #expect(try await fixture.calls.next() == nil)
    }

    @Test(arguments: [ScriptedModemManager.State.unknown, .terminated])
    @EventLoop func `a call of ModemManager counts only from dialling to its end`(
        state: ScriptedModemManager.State
    ) async throws {
        let fixture = try await CallFixture.start()
        let modemManager = try await fixture.startModemManager()
        try modemManager.add(1, state)
        #expect(try await modemManager.reads.next() == 1)
        try modemManager.change(1, .active)
        // A call in its state of before would have been reported twice.
        #expect(try await fixture.calls.next() == .modem)
        try modemManager.change(1, .terminated)
        #expect(try await fixture.calls.next() == nil)
    }

    @Test @EventLoop func `a state that this version does not know counts as a call`() async throws {
        let fixture = try await CallFixture.start()
        let modemManager = try await fixture.startModemManager()
        try modemManager.add(1, .unknown)
        try modemManager.change(1, rawState: 99)
        #expect(try await fixture.calls.next() == .modem)
    }

    @Test @EventLoop func `calls that existed before are found`() async throws {
        let fixture = try await CallFixture.start()
        let modemManager = try await fixture.startModemManager(calls: [7: .terminated, 8: .active])
        #expect(try await fixture.calls.next() == .modem)
        try modemManager.change(8, .terminated)
        #expect(try await fixture.calls.next() == nil)
    }

    @Test @EventLoop func `a call ends with the modem that is pulled out`() async throws {
        let fixture = try await CallFixture.start()
        let modemManager = try await fixture.startModemManager(calls: [8: .active])
        #expect(try await fixture.calls.next() == .modem)
        try modemManager.unplugModem()
        #expect(try await fixture.calls.next() == nil)
    }

    @Test @EventLoop func `a call ends with the service that crashes`() async throws {
        let fixture = try await CallFixture.start()
        let modemManager = try await fixture.startModemManager(calls: [8: .active])
        #expect(try await fixture.calls.next() == .modem)
        modemManager.crash()
        #expect(try await fixture.calls.next() == nil)
        let next = try await fixture.startModemManager(calls: [1: .ringingIn])
        #expect(try await fixture.calls.next() == .modem)
        withExtendedLifetime(next) {}
    }

    @Test @EventLoop func `a service that does not answer prevents no other source`() async throws {
        let fixture = try await CallFixture.start()
        let silent = try await fixture.startModemManager(isSilent: true)
        let callaudiod = try await fixture.startCallaudiod()
        try callaudiod.select(1)
        #expect(try await fixture.calls.next() == .callaudiod)
        try callaudiod.select(0)
        #expect(try await fixture.calls.next() == nil)
        // Its signals count all the same.
        try silent.add(1, .ringingIn)
        #expect(try await fixture.calls.next() == .modem)
    }

    @Test @EventLoop func `another process cannot report a call in the name of ModemManager`() async throws {
        let fixture = try await CallFixture.start()
        let modemManager = try await fixture.startModemManager()
        let stranger = try await BusConnection.open(.address(fixture.bus.address))
        let call = "org.freedesktop.ModemManager1.Call"
        try stranger.emit(
            BusSignal(
                path: "/org/freedesktop/ModemManager1/Call/1",
                interface: call,
                member: "StateChanged",
                arguments: [.int32(3), .int32(4), .uint32(0)]
            )
        )
        // Makes sure that the signal has been delivered before the next.
        let bus = RemoteInterface(service: "org.freedesktop.DBus", path: "/", name: "org.freedesktop.DBus")
        _ = try await stranger.call(bus.call("GetId"))
        let callaudiod = try await fixture.startCallaudiod(mode: 1)
        #expect(try await fixture.calls.next() == .callaudiod)
        withExtendedLifetime((modemManager, callaudiod)) {}
    }

    // MARK: oFono

    @Test(arguments: ["active", "held", "dialing", "alerting", "incoming", "waiting", "a new state"])
    @EventLoop func `a call of oFono counts until it is disconnected`(state: String) async throws {
        let fixture = try await CallFixture.start()
        let oFono = try await fixture.startOFono()
        try oFono.add("voicecall01", state)
        #expect(try await fixture.calls.next() == .oFono)
        try oFono.change("voicecall01", "disconnected")
        #expect(try await fixture.calls.next() == nil)
        try oFono.change("voicecall01", "incoming")
        #expect(try await fixture.calls.next() == .oFono)
        try oFono.remove("voicecall01")
        #expect(try await fixture.calls.next() == nil)
    }

    @Test(arguments: ["off", "removed", "crash"])
    @EventLoop func `calls of oFono that existed before end with its modem, or with it`(end: String)
        async throws
    {
        let fixture = try await CallFixture.start()
        let oFono = try await fixture.startOFono(calls: [
            "voicecall01": "held", "voicecall02": "disconnected",
        ])
        #expect(try await fixture.calls.next() == .oFono)
        switch end {
        case "off": try oFono.switchModemOff()
        case "removed": try oFono.removeModem()
        default: oFono.crash()
        }
        #expect(try await fixture.calls.next() == nil)
    }

    // MARK: callaudiod

    @Test(arguments: [false, true])
    @EventLoop func `callaudiod's mode "call" counts, and no other`(isInvalidated: Bool) async throws {
        let fixture = try await CallFixture.start()
        let callaudiod = try await fixture.startCallaudiod(mode: 255)
        try callaudiod.select(1, isInvalidated: isInvalidated)
        #expect(try await fixture.calls.next() == .callaudiod)
        try callaudiod.select(255, isInvalidated: isInvalidated)
        #expect(try await fixture.calls.next() == nil)
        try callaudiod.select(1)
        #expect(try await fixture.calls.next() == .callaudiod)
        callaudiod.crash()
        #expect(try await fixture.calls.next() == nil)
    }

    // MARK: The buses

    @Test @EventLoop
    func `a call lasts while the bus is away for a moment, and ends if it has ended meanwhile`()
        async throws
    {
        let fixture = try await CallFixture.start()
        let first = try await fixture.startCallaudiod(mode: 1)
        #expect(try await fixture.calls.next() == .callaudiod)
        fixture.bus.stop()
        try await fixture.bus.start()
        // Nothing is reported of the loss: this is the next change.
        #expect(try await fixture.calls.next() == nil)
        let next = try await fixture.startCallaudiod(mode: 1)
        #expect(try await fixture.calls.next() == .callaudiod)
        withExtendedLifetime((first, next)) {}
    }

    @Test @EventLoop func `no service is started`() async throws {
        let names = ["org.freedesktop.ModemManager1", "org.ofono", "org.mobian_project.CallAudio"]
        let file = "/tmp/ptt-started-\(UInt32.random(in: 0 ... .max))"
        let commands = names.map { ($0, "/bin/sh -c \"touch \(file)\"") }
        let bus = try await PrivateBus.start(services: Dictionary(uniqueKeysWithValues: commands))
        let fixture = try await CallFixture.start(on: bus)
        let callaudiod = try await fixture.startCallaudiod(mode: 1)
        #expect(try await fixture.calls.next() == .callaudiod)
        callaudiod.crash()
        #expect(try await fixture.calls.next() == nil)
        #expect(access(file, F_OK) != 0)
    }
}

/// A bus that is the system bus and the session bus of a `CallWatch`.
@EventLoop
struct CallFixture {
    let bus: PrivateBus
    let watch: CallWatch
    /// Every change.
    let calls = AsyncQueue(of: ActiveCall?.self)

    static func start(on bus: PrivateBus? = nil) async throws -> CallFixture {
        let bus = if let bus { bus } else { try await PrivateBus.start() }
        let address = BusAddress.address(bus.address)
        let log = RateLimitedLog(Logger(label: "test"))
        let fixture = CallFixture(
            bus: bus,
            watch: CallWatch(
                server: AudioServer(applicationName: "Test"),
                system: address,
                session: address,
                log: log
            )
        )
        fixture.watch.changed = { [calls = fixture.calls] in calls.add($0) }
        return fixture
    }

    /// It has been listed when this returns, unless it is silent.
    func startModemManager(
        calls: [Int: ScriptedModemManager.State] = [:],
        isSilent: Bool = false
    ) async throws -> ScriptedModemManager {
        let service = try await ScriptedModemManager.start(bus.address, calls: calls, isSilent: isSilent)
        try await service.listings.next()
        return service
    }

    func startOFono(calls: [String: String] = [:]) async throws -> ScriptedOFono {
        let service = try await ScriptedOFono.start(bus.address, calls: calls)
        try await service.listings.next()
        return service
    }

    func startCallaudiod(mode: UInt32 = 0) async throws -> ScriptedCallaudiod {
        let service = try await ScriptedCallaudiod.start(bus.address, mode: mode)
        try await service.reads.next()
        return service
    }
}

extension ActiveCall? {
    static let modem = ActiveCall(source: "ModemManager", name: "a telephone call")
    static let oFono = ActiveCall(source: "oFono", name: "a telephone call")
    static let callaudiod = ActiveCall(source: "callaudiod", name: "a telephone call")
}
