import DBus
import EventLoop
import TestSupport
import Testing

@Suite struct SignalTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a signal reaches the handler with all its fields`() async throws {
        let peers = try await Peers()
        let signals = AsyncQueue(of: BusSignal.self)
        let subscription = peers.client.subscribe(MatchRule(sender: Peers.name, path: Peers.path)) {
            signals.add($0)
        }
        try await peers.settle()
        try peers.service.emit(
            .propertiesChanged(path: Peers.path, interface: "org.example.P", changed: ["Value": .bytes([1])])
        )
        let signal = try await signals.next()
        #expect(signal.sender == peers.service.uniqueName)
        #expect(signal.path == Peers.path)
        #expect(signal.propertyChanges?.interface == "org.example.P")
        #expect(signal.propertyChanges?.changed == ["Value": .bytes([1])])
        subscription.cancel()
    }

    @Test @EventLoop
    func `handlers run in the order of their subscriptions, whether these name a path or not`()
        async throws
    {
        let peers = try await Peers()
        let handled = AsyncQueue(of: Int.self)
        let rules = [Peers.path, nil, "/elsewhere", Peers.path, nil].map {
            MatchRule(sender: Peers.name, path: $0, member: "Wanted")
        }
        let subscriptions = rules.enumerated().map { index, rule in
            peers.client.subscribe(rule) { _ in handled.add(index) }
        }
        try await peers.settle()
        try peers.service.emit(BusSignal(path: Peers.path, interface: "org.example.A", member: "Wanted"))
        for expected in [0, 1, 3, 4] { #expect(try await handled.next() == expected) }
        for subscription in subscriptions { subscription.cancel() }
    }

    static let wide = BusSignal(
        path: "/a/b",
        interface: "org.example.A",
        member: "Wanted",
        arguments: [.string("first")]
    )
    static let others = [
        BusSignal(path: "/a", interface: "org.example.A", member: "Wanted", arguments: [.string("first")]),
        BusSignal(path: "/a/bc", interface: "org.example.A", member: "Wanted", arguments: [.string("first")]),
        BusSignal(path: "/a/b", interface: "org.example.B", member: "Wanted", arguments: [.string("first")]),
        BusSignal(path: "/a/b", interface: "org.example.A", member: "Other", arguments: [.string("first")]),
        BusSignal(path: "/a/b", interface: "org.example.A", member: "Wanted", arguments: [.string("second")]),
        BusSignal(
            path: "/a/b",
            interface: "org.example.A",
            member: "Wanted",
            arguments: [.objectPath("/first")]
        ),
        BusSignal(path: "/a/b", interface: "org.example.A", member: "Wanted"),
    ]
    static let narrow = MatchRule(
        sender: Peers.name,
        pathNamespace: "/a/b",
        interface: "org.example.A",
        member: "Wanted",
        firstArgument: "first"
    )

    @Test(arguments: [true, false]) @EventLoop
    func `only signals that match a rule reach its handler`(withBroadRuleBeside: Bool) async throws {
        let peers = try await Peers()
        let signals = AsyncQueue(of: String.self)
        let narrow = peers.client.subscribe(Self.narrow) { _ in signals.add("narrow") }
        // With a second rule the bus delivers every signal, so that the connection has to filter as well.
        let broad = withBroadRuleBeside ? peers.client.subscribe(MatchRule()) { _ in } : nil
        let end = peers.client.subscribe(MatchRule(member: "End")) { _ in signals.add("end") }
        try await peers.settle()
        for signal in [Self.wide] + Self.others + [Self.wide] { try peers.service.emit(signal) }
        try peers.service.emit(BusSignal(path: "/", interface: "org.example.A", member: "End"))
        #expect(try await signals.next(3) == ["narrow", "narrow", "end"])
        for subscription in [narrow, broad, end] { subscription?.cancel() }
    }

    @Test @EventLoop func `a signal is handled once per subscription even with equal rules`() async throws {
        let peers = try await Peers()
        let signals = AsyncQueue(of: String.self)
        let rule = MatchRule(member: "Tick")
        let first = peers.client.subscribe(rule) { _ in signals.add("first") }
        let second = peers.client.subscribe(rule) { _ in signals.add("second") }
        try await peers.settle()
        try peers.service.emit(BusSignal(path: "/", interface: "org.example.A", member: "Tick"))
        #expect(try await signals.next(2) == ["first", "second"])
        first.cancel()
        try await peers.settle()
        try peers.service.emit(BusSignal(path: "/", interface: "org.example.A", member: "Tick"))
        #expect(try await signals.next() == "second")
        second.cancel()
    }

    @Test @EventLoop func `a handler can cancel a later subscription and its own`() async throws {
        let peers = try await Peers()
        let signals = AsyncQueue(of: String.self)
        var later: Subscription?
        var own: Subscription?
        own = peers.client.subscribe(MatchRule(member: "Tick")) { _ in
            signals.add("own")
            own = nil
            later = nil
        }
        later = peers.client.subscribe(MatchRule(member: "Tick")) { _ in signals.add("later") }
        let last = peers.client.subscribe(MatchRule(member: "Tick")) { _ in signals.add("last") }
        try await peers.settle()
        for _ in 0..<2 {
            try peers.service.emit(BusSignal(path: "/", interface: "org.example.A", member: "Tick"))
        }
        #expect(try await signals.next(3) == ["own", "last", "last"])
        #expect(later == nil && own == nil)
        last.cancel()
    }

    @Test @EventLoop func `another peer cannot impersonate the owner of a name`() async throws {
        let peers = try await Peers()
        let stranger = try await BusConnection.open(.address(peers.bus.address))
        let signals = AsyncQueue(of: String?.self)
        let subscription = peers.client.subscribe(MatchRule(sender: Peers.name, member: "Tick")) {
            signals.add($0.sender)
        }
        try await peers.settle()
        let signal = BusSignal(path: Peers.path, interface: Peers.interface, member: "Tick")
        try stranger.emit(signal, to: peers.client.uniqueName)
        // Its call is answered after the signal has been delivered.
        _ = try await stranger.call(
            RemoteInterface(service: peers.client.uniqueName, path: "/", name: "org.freedesktop.DBus.Peer")
                .call("Ping")
        )
        try peers.service.emit(signal)
        #expect(try await signals.next() == peers.service.uniqueName)
        subscription.cancel()
    }

    @Test @EventLoop func `a subscription by name applies to the next owner of the name`() async throws {
        let peers = try await Peers()
        let next = try await BusConnection.open(.address(peers.bus.address))
        let signals = AsyncQueue(of: String?.self)
        let subscription = peers.client.subscribe(MatchRule(sender: Peers.name, member: "Tick")) {
            signals.add($0.sender)
        }
        let release = RemoteInterface(
            service: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            name: "org.freedesktop.DBus"
        )
        .call("ReleaseName", [.string(Peers.name)])
        _ = try await peers.service.call(release)
        #expect(try await next.requestName(Peers.name))
        _ = try await peers.client.call(
            RemoteInterface(service: Peers.name, path: "/", name: "org.freedesktop.DBus.Peer").call("Ping")
        )
        try next.emit(BusSignal(path: Peers.path, interface: Peers.interface, member: "Tick"))
        #expect(try await signals.next() == next.uniqueName)
        subscription.cancel()
    }

    @Test @EventLoop func `the owner of a name is reported first, then every change`() async throws {
        let peers = try await Peers()
        let name = "org.example.Other"
        let owners = AsyncQueue(of: String?.self)
        let watch = peers.client.watchName(name) { owners.add($0) }
        #expect(try await owners.next() == nil)
        _ = try await peers.service.requestName(name)
        #expect(try await owners.next() == peers.service.uniqueName)

        let second = AsyncQueue(of: String?.self)
        let secondWatch = peers.client.watchName(name) { second.add($0) }
        #expect(try await second.next() == peers.service.uniqueName)

        peers.service.close()
        #expect(try await owners.next() == nil)
        #expect(try await second.next() == nil)
        watch.cancel()
        secondWatch.cancel()
    }

    @Test(arguments: [true, false]) @EventLoop
    func `owners below a name are reported, and no name that only begins like it`(withBroadRuleBeside: Bool)
        async throws
    {
        let peers = try await Peers()
        let changes = AsyncQueue(of: String.self)
        let rule = MatchRule.owners(below: "org.example.impl")
        let watch = peers.client.subscribe(rule) { signal in
            let (name, owner) = (signal.arguments[0].asString ?? "", signal.arguments[2].asString ?? "")
            changes.add(owner.isEmpty ? "lost \(name)" : name)
        }
        // With a second rule the bus delivers every signal, so that the connection has to filter as well.
        let broad = withBroadRuleBeside ? peers.client.subscribe(MatchRule()) { _ in } : nil
        try await peers.settle()
        for name in ["org.example.implement", "org.example.impl.desktop.a", "org.example.impl"] {
            _ = try await peers.service.requestName(name)
        }
        #expect(try await changes.next(2) == ["org.example.impl.desktop.a", "org.example.impl"])
        peers.service.releaseName("org.example.implement")
        peers.service.releaseName("org.example.impl")
        #expect(try await changes.next() == "lost org.example.impl")
        for subscription in [watch, broad] { subscription?.cancel() }
    }

    @Test @EventLoop func `a name can be taken once and not if the policy forbids it`() async throws {
        let peers = try await Peers()
        #expect(try await peers.client.requestName(Peers.name) == false)
        #expect(try await peers.service.requestName(Peers.name))
        let error = await BusError.thrown { try await peers.client.requestName("org.example.Forbidden") }
        #expect(error?.kind == .accessDenied)
    }

    static let malformed: [[BusValue]] = [
        [], [.string("org.example.P")], [.byte(1), .properties([:]), .strings([])],
        [.string("org.example.P"), .strings([]), .strings([])],
        [.string("org.example.P"), .properties([:]), .properties([:])],
        [
            .string("org.example.P"), .dictionary(keys: "u", values: "v", [.uint32(1): .variant(.byte(1))]),
            .strings([]),
        ],
    ]

    @Test(arguments: malformed) @EventLoop
    func `a malformed PropertiesChanged signal is ignored`(arguments: [BusValue]) async throws {
        let peers = try await Peers()
        let signals = AsyncQueue(of: BusSignal.self)
        let subscription = peers.client.subscribe(MatchRule(member: "PropertiesChanged")) { signals.add($0) }
        try await peers.settle()
        let name = "org.freedesktop.DBus.Properties"
        try peers.service.emit(
            BusSignal(path: Peers.path, interface: name, member: "PropertiesChanged", arguments: arguments)
        )
        let signal = try await signals.next()
        #expect(signal.arguments == arguments)
        #expect(signal.propertyChanges == nil)
        subscription.cancel()
    }

    @Test @EventLoop func `a rule may contain quotes`() async throws {
        let peers = try await Peers()
        let signals = AsyncQueue(of: Void.self)
        let text = #"it's a \ 'test',"#
        let subscription = peers.client.subscribe(MatchRule(firstArgument: text)) { _ in signals.add(()) }
        try await peers.settle()
        try peers.service.emit(
            BusSignal(path: "/", interface: "org.example.A", member: "Tick", arguments: [.string(text)])
        )
        try await signals.next()
        subscription.cancel()
    }

    @Test @EventLoop func `a rule that the bus refuses ends the connection`() async throws {
        let peers = try await Peers()
        let losses = AsyncQueue(of: BusError.self)
        peers.client.onLost = { losses.add($0) }
        let subscription = peers.client.subscribe(MatchRule(interface: "nonsense")) { _ in }
        #expect(try await losses.next().name == "org.freedesktop.DBus.Error.MatchRuleInvalid")
        #expect(!peers.client.isOpen)
        subscription.cancel()
    }
}
