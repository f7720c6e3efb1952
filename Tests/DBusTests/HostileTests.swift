import EventLoop
import TestSupport
import Testing

@testable import DBus

/// Messages that any peer may send to a connection unasked, and hostile answers to its calls.
@Suite struct HostileTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `keys that differ in their bytes are different, even if they are equal as text`()
        async throws
    {
        let peers = try await Peers()
        // The same letter, precomposed and as a letter with a combining accent.
        let entries: [BusValue: BusValue] = [.string("\u{e9}"): .byte(1), .string("e\u{301}"): .byte(2)]
        #expect(entries.count == 2)
        let value = BusValue.dictionary(keys: "s", values: "y", entries)
        let answer = try await peers.client.call(peers.call("Echo", .variant(value)))
        #expect(answer.first?.asProperties?.count == 2)
        #expect(answer.first?.asProperties?["\u{e9}"] == .byte(1))
    }

    @Test @EventLoop func `a key of combining marks is hashed and compared in linear time`() async throws {
        let peers = try await Peers()
        let marks = String(String.UnicodeScalarView((0..<20_000).map { $0 % 2 == 0 ? "\u{301}" : "\u{323}" }))
        let value = BusValue.properties([BusKey(marks): .byte(1), BusKey(marks + "a"): .byte(2)])
        let answer = try await peers.client.call(peers.call("Echo", .variant(value)))
        #expect(answer.first?.asProperties?[BusKey(marks)] == .byte(1))
    }

    enum TooMuch: CaseIterable {
        case values
        case bytes
        case text

        var value: BusValue {
            switch self {
            case .values: .array(of: "b", Array(repeating: .boolean(true), count: 101_000))
            case .bytes: .bytes([UInt8](repeating: 1, count: 70_000))
            case .text: .string(String(repeating: "x", count: 70_000))
            }
        }
    }

    @Test(arguments: TooMuch.allCases) @EventLoop
    func `an answer that exceeds a limit fails the call, and nothing else`(excess: TooMuch)
        async throws
    {
        let peers = try await Peers()
        let answerer = try await BusConnection.open(.address(peers.bus.address))
        let give = ExportedMethod("Give", outputs: ["value": "v"]) { $0.reply(.variant(excess.value)) }
        let object = try answerer.export(Peers.path, [ExportedInterface(Peers.interface, methods: [give])])
        let call = RemoteInterface(service: answerer.uniqueName, path: Peers.path, name: Peers.interface)
            .call("Give")
        #expect(await BusError.thrown { try await peers.client.call(call) }?.name == BusError.limitsExceeded)
        try await peers.settle()
        object.withdraw()
    }

    @Test(arguments: TooMuch.allCases) @EventLoop
    func `a call whose arguments exceed a limit is refused`(excess: TooMuch) async throws {
        let peers = try await Peers()
        let call = peers.call("Echo", .variant(excess.value))
        #expect(await BusError.thrown { try await peers.client.call(call) }?.name == BusError.limitsExceeded)
        try await peers.settle()
    }

    @Test(arguments: TooMuch.allCases) @EventLoop
    func `a signal of another peer that exceeds a limit is not decoded`(excess: TooMuch)
        async throws
    {
        let peers = try await Peers()
        let stranger = try await BusConnection.open(.address(peers.bus.address))
        let signals = AsyncQueue(of: BusSignal.self)
        let subscription = peers.client.subscribe(MatchRule(sender: Peers.name)) { signals.add($0) }
        try await peers.settle()
        for member in ["PropertiesChanged", "Tick"] {
            try stranger.emit(
                BusSignal(
                    path: Peers.path,
                    interface: Peers.interface,
                    member: member,
                    arguments: [excess.value]
                ),
                to: peers.client.uniqueName
            )
        }
        try await ping(peers.client, from: stranger)
        // A matching signal that cannot be decoded would have ended the connection.
        #expect(peers.client.isOpen)
        try peers.service.emit(BusSignal(path: Peers.path, interface: Peers.interface, member: "Tick"))
        #expect(try await signals.next().sender == peers.service.uniqueName)
        subscription.cancel()
    }

    @Test @EventLoop func `a matching signal that cannot be decoded ends the connection`() async throws {
        let peers = try await Peers()
        let losses = AsyncQueue(of: BusError.self)
        peers.client.onLost = { losses.add($0) }
        let subscription = peers.client.subscribe(MatchRule(sender: Peers.name)) { _ in }
        try await peers.settle()
        try peers.service.emit(
            BusSignal(
                path: Peers.path,
                interface: Peers.interface,
                member: "Tick",
                arguments: [TooMuch.values.value]
            )
        )
        #expect(try await losses.next().name == BusError.limitsExceeded)
        subscription.cancel()
    }

    @Test @EventLoop func `a body that is nested too deeply is not decoded`() async throws {
        let peers = try await Peers()
        let losses = AsyncQueue(of: BusError.self)
        peers.client.onLost = { losses.add($0) }
        let subscription = peers.client.subscribe(MatchRule(member: "Deep")) { _ in }
        try await peers.settle()
        // For each level the signature of one type, and the value.
        let variant: [UInt8] = [1, UInt8(ascii: "v"), 0]
        let variants = Array(repeatElement(variant, count: 40).joined()) + [1, UInt8(ascii: "y"), 0, 0]
        let stranger = try RawBusPeer(peers.bus.address)
        try stranger.signal(
            path: "/",
            interface: "org.example.A",
            member: "Deep",
            to: peers.client.uniqueName,
            signature: "v",
            body: variants
        )
        #expect(try await losses.next().name == BusError.limitsExceeded)
        subscription.cancel()
    }

    @Test @EventLoop func `only the bus can report that a name has another owner`() async throws {
        let peers = try await Peers()
        let stranger = try await BusConnection.open(.address(peers.bus.address))
        let events = AsyncQueue(of: String.self)
        let watch = peers.client.watchName(Peers.name) { events.add($0 ?? "nobody") }
        let subscription = peers.client.subscribe(MatchRule(sender: Peers.name, member: "Tick")) {
            events.add("tick of \($0.sender ?? "nobody")")
        }
        #expect(try await events.next() == peers.service.uniqueName)
        for owner in ["", stranger.uniqueName] {
            let arguments: [BusValue] = [
                .string(Peers.name), .string(peers.service.uniqueName), .string(owner),
            ]
            let forged = BusSignal(
                path: "/org/freedesktop/DBus",
                interface: "org.freedesktop.DBus",
                member: "NameOwnerChanged",
                arguments: arguments
            )
            try stranger.emit(forged, to: peers.client.uniqueName)
        }
        let tick = BusSignal(path: Peers.path, interface: Peers.interface, member: "Tick")
        try stranger.emit(tick, to: peers.client.uniqueName)
        try await ping(peers.client, from: stranger)
        try peers.service.emit(tick)
        #expect(try await events.next() == "tick of \(peers.service.uniqueName)")
        watch.cancel()
        subscription.cancel()
    }

    @Test @EventLoop func `each signal that is too large causes a reconnection`() async throws {
        let peers = try await Peers()
        let events = AsyncQueue(of: String.self)
        let bus = Bus(.address(peers.bus.address)) { event in
            switch event {
            case .connected(let connection): events.add(connection.uniqueName)
            case .disconnected: events.add("disconnected")
            }
        }
        let stranger = try RawBusPeer(peers.bus.address)
        for _ in 0..<3 {
            let name = try await events.next()
            try #require(name.hasPrefix(":"))
            try stranger.signal(
                path: "/",
                interface: "org.example.A",
                member: "Big",
                to: name,
                signature: "ay",
                body: .marshalledBytes(5 << 20)
            )
            #expect(try await events.next() == "disconnected")
        }
        #expect(try await events.next().hasPrefix(":"))
        withExtendedLifetime(bus) {}
    }

    @Test func `after a loss it reconnects within a second, however often it is disconnected`() {
        var delay = Bus.ReconnectDelay()
        var now = MonotonicInstant.now
        for _ in 0..<20 {
            delay.connected(at: now)
            now = now + .milliseconds(10)
            #expect(delay.next(at: now) <= .seconds(1))
        }
        // To a bus that is not running it connects less often.
        for _ in 0..<3 { _ = delay.next(at: now) }
        #expect(delay.next(at: now) == .seconds(5))
        // After a stable connection the delay is short again.
        delay.connected(at: now)
        #expect(delay.next(at: now + .seconds(6)) == .milliseconds(100))
    }

    /// Waits until all that `peer` has sent to `connection` has arrived.
    @EventLoop
    private func ping(_ connection: BusConnection, from peer: BusConnection) async throws {
        let call = RemoteInterface(
            service: connection.uniqueName,
            path: "/",
            name: "org.freedesktop.DBus.Peer"
        )
        .call("Ping")
        _ = try await peer.call(call)
    }
}
