import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct CallTests {
    init() { withRunningLoop() }

    static let values: [BusValue] = [
        .byte(255), .boolean(true), .int16(-2), .uint16(65535), .int32(-3), .uint32(4), .int64(.min),
        .uint64(.max), .double(0.5), .string("Grüße 👋"), .objectPath("/org/bluez"), .signature("a{sv}"),
        .bytes([0x00, 0x81]), .bytes([]), .strings(["a", "b"]), .array(of: "a{sv}", []), .properties([:]),
        .properties(["Connected": .boolean(true), "Value": .bytes([1])]),
        .dictionary(keys: "q", values: "as", [.uint16(1): .strings(["x"])]),
        .structure([.byte(1), .structure([.string(""), .variant(.variant(.int32(1)))])]),
    ]

    @Test(arguments: values) @EventLoop
    func `a value of any type survives the round trip to a peer`(value: BusValue) async throws {
        let peers = try await Peers()
        let answer = try await peers.client.call(peers.call("Echo", .variant(value)))
        #expect(answer == [.variant(value)])
    }

    @Test @EventLoop func `a descriptor arrives as a descriptor of the same file`() async throws {
        let peers = try await Peers()
        let (near, far) = try UnixSocket.pair(.stream)
        defer { _ = close(near) }
        let sent = BusDescriptor(OwnedDescriptor(adopting: far))
        let answer = try await peers.client.call(peers.call("Echo", .variant(.descriptor(sent))))
        guard let received = answer.first?.asDescriptor?.take() else {
            Issue.record("no descriptor in the answer")
            return
        }
        #expect(write(received.value, "x", 1) == 1)
        var byte: UInt8 = 0
        #expect(read(near, &byte, 1) == 1)
        #expect(fcntl(received.value, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test @EventLoop func `the peer's error keeps its name and message`() async throws {
        let peers = try await Peers()
        let error = await BusError.thrown { try await peers.client.call(peers.call("Fail")) }
        #expect(error?.name == "org.example.Error.Tired")
        #expect(error?.message == "not today")
        #expect(error?.kind == .other)
        #expect(
            error?.description
                == "could not call org.example.Interface.Fail of org.example.Service on "
                + "/org/example/service: not today (org.example.Error.Tired)"
        )
    }

    @Test(arguments: [
        "org.freedesktop.DBus.Error.Spawn.ChildExited", "org.freedesktop.DBus.Error.Spawn.ExecFailed",
        "org.freedesktop.systemd1.UnitMasked", "org.freedesktop.systemd1.NoSuchUnit",
    ])
    func `a service that cannot be started is unknown`(name: String) {
        #expect(BusError(name: name, message: "").kind == .serviceUnknown)
    }

    @Test @EventLoop func `an unknown service, object and method are distinguished`() async throws {
        let peers = try await Peers()
        let service = RemoteInterface(service: "org.example.Nobody", path: "/", name: "org.example.I")
            .call("M")
        #expect(await BusError.thrown { try await peers.client.call(service) }?.kind == .serviceUnknown)
        let object = RemoteInterface(service: Peers.name, path: "/elsewhere", name: Peers.interface)
            .call("Echo")
        #expect(
            await BusError.thrown { try await peers.client.call(object) }?.name
                == "org.freedesktop.DBus.Error.UnknownObject"
        )
        #expect(
            await BusError.thrown { try await peers.client.call(peers.call("Nonsense")) }?.name
                == "org.freedesktop.DBus.Error.UnknownMethod"
        )
        #expect(
            await BusError.thrown { try await peers.client.call(peers.call("Echo", .byte(1))) }?.kind
                == .invalidArguments
        )
    }

    @Test @EventLoop func `a call without an answer fails at its timeout`() async throws {
        let peers = try await Peers()
        let start = MonotonicInstant.now
        let error = await BusError.thrown {
            try await peers.client.call(peers.call("Hold"), timeout: .milliseconds(50))
        }
        #expect(error?.kind == .noReply)
        #expect(MonotonicInstant.now - start >= .milliseconds(50))
        // The late answer is ignored.
        try await peers.holds.next()
        peers.held.removeFirst().reply()
        try await peers.settle()
    }

    @Test @EventLoop func `calls to a peer fail when it leaves the bus`() async throws {
        let peers = try await Peers()
        let errors = AsyncQueue(of: BusError?.self)
        peers.client.call(peers.call("Hold")) { result in
            if case .failure(let error) = result { errors.add(error) } else { errors.add(nil) }
        }
        try await peers.holds.next()
        peers.service.close()
        #expect(try await errors.next()?.kind == .noReply)
    }

    @Test @EventLoop func `a call that is dropped by its handler is answered with an error`() async throws {
        let peers = try await Peers()
        let error = await BusError.thrown { try await peers.client.call(peers.call("Drop")) }
        #expect(error?.name == "org.freedesktop.DBus.Error.Failed")
    }

    static let refused: [BusValue] = [
        .string("a\0b"), .signature("nonsense"), .structure([]), .array(of: "s", [.byte(1)]),
        .array(of: "", []), .array(of: "ss", []), .dictionary(keys: "as", values: "v", [:]),
        .dictionary(keys: "s", values: "v", [.byte(1): .byte(1)]),
        (0..<100).reduce(.byte(0)) { value, _ in .variant(value) },
        (0..<40).reduce(.byte(0)) { value, _ in .structure([value]) },
    ]

    @Test(arguments: refused) @EventLoop
    func `a value that D-Bus forbids is refused and the connection remains`(value: BusValue) async throws {
        let peers = try await Peers()
        let call = peers.call("Echo", .variant(value))
        let error = await BusError.thrown { try await peers.client.call(call) }
        #expect(error?.kind == .invalidArguments)
        try await peers.settle()
    }

    @Test @EventLoop func `a message that is too large is refused and the connection remains`() async throws {
        let peers = try await Peers()
        let text = BusValue.string(String(repeating: "x", count: 2 << 20))
        let call = peers.call("Echo", .variant(text))
        let error = await BusError.thrown { try await peers.client.call(call) }
        #expect(error?.name == BusError.limitsExceeded)
        try await peers.settle()
    }

    @Test(arguments: [
        RemoteInterface(service: "nonsense", path: "/", name: "org.example.I").call("M"),
        RemoteInterface(service: "", path: "/", name: "org.example.I").call("M"),
        RemoteInterface(service: "org.example.S", path: "/", name: "nonsense").call("M"),
        RemoteInterface(service: "org.example.S", path: "/", name: "org.example.I").call("no-name"),
        RemoteInterface(service: "org.example.S\0", path: "/", name: "org.example.I").call("M"),
    ]) @EventLoop
    func `a call with an invalid name is refused and the connection remains`(call: MethodCall) async throws {
        let peers = try await Peers()
        #expect(await BusError.thrown { try await peers.client.call(call) }?.kind == .invalidArguments)
        try await peers.settle()
    }

    @Test(arguments: ["", "a", "/a/", "//", "/a//b", "/ä", "/a\0", "/a-b"])
    func `text that is not an object path is refused`(text: String) {
        #expect(ObjectPath(text) == nil)
    }

    @Test @EventLoop func `ten thousand calls and signals leak no memory`() async throws {
        let peers = try await Peers()
        let payload = BusValue.bytes([UInt8](repeating: 7, count: 4096))
        let signals = AsyncQueue(of: Int.self)
        var count = 0
        let subscription = peers.client.subscribe(MatchRule(sender: Peers.name, member: "Tick")) { _ in
            count += 1
            if count.isMultiple(of: 500) { signals.add(count) }
        }
        defer { subscription.cancel() }
        try await peers.settle()
        let before = residentBytes()
        for round in 1...10 {
            for _ in 0..<500 {
                _ = try await peers.client.call(peers.call("Echo", .variant(payload)))
                try peers.service.emit(
                    BusSignal(
                        path: Peers.path,
                        interface: Peers.interface,
                        member: "Tick",
                        arguments: [payload]
                    )
                )
            }
            #expect(try await signals.next() == round * 500)
        }
        // Sixty megabytes were transferred: a leak of a quarter exceeds this bound, the memory of other tests
        // does not.
        #expect(residentBytes() - before < 20 << 20)
    }

    private func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "re") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let fields = text.split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4096
    }
}
