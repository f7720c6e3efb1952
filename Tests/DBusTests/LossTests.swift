import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct LossTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `the loss of the bus is reported and fails all calls`() async throws {
        let peers = try await Peers()
        let events = AsyncQueue(of: String.self)
        peers.client.onLost = { events.add("lost: \($0.kind)") }
        for number in 1...2 {
            peers.client.call(peers.call("Hold")) { result in
                if case .failure(let error) = result { events.add("call \(number): \(error.kind)") }
            }
        }
        _ = try await peers.holds.next(2)
        peers.bus.stop()
        #expect(try await events.next() == "lost: disconnected")
        #expect(Set(try await events.next(2)) == ["call 1: disconnected", "call 2: disconnected"])
        #expect(!peers.client.isOpen)
        let error = await BusError.thrown { try await peers.client.call(peers.call("Hold")) }
        #expect(error?.kind == .disconnected)
        #expect(throws: BusError.self) {
            try peers.client.emit(BusSignal(path: "/", interface: "org.example.A", member: "Tick"))
        }
    }

    @Test @EventLoop func `closing fails all calls but is not reported as a loss`() async throws {
        let peers = try await Peers()
        let events = AsyncQueue(of: String.self)
        peers.client.onLost = { _ in events.add("lost") }
        peers.client.call(peers.call("Hold")) { result in
            if case .failure(let error) = result { events.add("\(error.kind)") }
        }
        peers.client.close()
        peers.client.close()
        #expect(try await events.next() == "disconnected")
    }

    @Test @EventLoop func `a bus that does not answer a request for a name is lost`() async throws {
        let peers = try await Peers()
        let events = AsyncQueue(of: String.self)
        peers.client.onLost = { events.add("lost: \($0.kind)") }
        peers.bus.signal(SIGSTOP)
        let error = await BusError.thrown { try await peers.client.requestName("org.example.Other") }
        #expect(error?.kind == .noReply)
        #expect(!peers.client.isOpen)
        #expect(try await events.next() == "lost: noReply")
    }

    @Test @EventLoop func `a completion runs once, later, even if the connection is dropped`() async throws {
        let peers = try await Peers()
        var other: BusConnection? = try await BusConnection.open(.address(peers.bus.address))
        let events = AsyncQueue(of: String.self)
        let report: BusConnection.Completion = { result in
            if case .failure(let error) = result { events.add("\(error.kind)") }
        }
        other?.call(
            RemoteInterface(service: "nonsense", path: "/", name: "org.example.I").call("M"),
            completion: report
        )
        other?.call(peers.call("Hold"), completion: report)
        events.add("returned")
        other = nil
        #expect(try await events.next() == "returned")
        #expect(Set(try await events.next(2)) == ["invalidArguments", "disconnected"])
    }

    @Test @EventLoop func `a connection that is dropped leaves the bus`() async throws {
        let peers = try await Peers()
        var other: BusConnection? = try await BusConnection.open(.address(peers.bus.address))
        let owners = AsyncQueue(of: String?.self)
        let name = try #require(other?.uniqueName)
        let watch = peers.client.watchName(name) { owners.add($0) }
        #expect(try await owners.next() == name)
        other = nil
        #expect(try await owners.next() == nil)
        watch.cancel()
    }

    @Test @EventLoop func `it waits for a bus, and reconnects after a loss`() async throws {
        let private1 = try PrivateBus()
        let events = AsyncQueue(of: String.self)
        var bus: Bus? = Bus(.address(private1.address)) { event in
            switch event {
            case .connected(let connection): events.add("connected \(connection.uniqueName)")
            case .disconnected: events.add("disconnected")
            }
        }
        #expect(try await events.next() == "disconnected")
        try await private1.start()
        #expect(try await events.next() == "connected :1.0")
        private1.stop()
        #expect(try await events.next() == "disconnected")
        #expect(bus?.connection == nil)
        try await private1.start()
        #expect(try await events.next() == "connected :1.0")
        let connection = try #require(bus?.connection)
        #expect(connection.isOpen)
        bus = nil
        #expect(!connection.isOpen)
    }

    @Test @EventLoop func `a server that does not speak D-Bus is an error`() async throws {
        let server = try FakeServer(answer: "\0\u{1}\u{2}nonsense\r\n")
        let error = await BusError.thrown { try await BusConnection.open(.address(server.address)) }
        #expect(error != nil)
    }

    @Test @EventLoop func `a server that never answers is an error at the timeout`() async throws {
        let server = try FakeServer(answer: nil)
        let error = await BusError.thrown {
            try await BusConnection.open(.address(server.address), timeout: .milliseconds(50))
        }
        #expect(error?.kind == .noReply)
    }

    @Test @EventLoop
    func `a server whose queue is full blocks nothing, and is connected to when it accepts again`()
        async throws
    {
        let bus = try await PrivateBus.start()
        let strangers = try bus.standStill()
        let error = await BusError.thrown {
            try await BusConnection.open(.address(bus.address), timeout: .milliseconds(50))
        }
        #expect(error?.kind == .noReply)
        for _ in 0..<10 {
            // Each takes no longer than its timeout, however many are pending.
            _ = await BusError.thrown {
                try await BusConnection.open(.address(bus.address), timeout: .milliseconds(10))
            }
        }
        let events = AsyncQueue(of: String.self)
        let waiting = Bus(.address(bus.address)) { event in
            switch event {
            case .connected: events.add("connected")
            case .disconnected: events.add("disconnected")
            }
        }
        #expect(try await events.next() == "disconnected")
        for stranger in strangers { _ = close(stranger) }
        bus.signal(SIGCONT)
        #expect(try await events.next() == "connected")
        withExtendedLifetime(waiting) {}
    }

    @Test @EventLoop func `invalid bytes end the connection and not the process`() async throws {
        // A peer that authenticates and then sends bytes that are not a D-Bus message.
        let server = try FakeServer(
            answer: "OK 1234deadbeef1234deadbeef1234dead\r\nAGREE_UNIX_FD\r\n"
                + String(repeating: "x", count: 64)
        )
        let address = BusAddress.address(server.address)
        let error = await BusError.thrown { try await BusConnection.open(address, timeout: .seconds(60)) }
        #expect(error?.kind == .disconnected)
    }

    @Test(arguments: ["", "nonsense", "unix:path=/nonexistent", "unix:path=/tmp\0", "unix:"]) @EventLoop
    func `an address that leads nowhere is an error`(address: String) async throws {
        let error = await BusError.thrown { try await BusConnection.open(.address(address)) }
        #expect(error != nil)
    }
}

/// Accepts connections, and immediately writes its answer to each.
@EventLoop
final class FakeServer {
    let address: String
    private let path = "/tmp/ptt-dbus-fake-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    private let listening: Int32
    private var accepted: [Int32] = []
    private var source: DescriptorSource?

    init(answer: String?) throws {
        address = "unix:path=\(path)"
        listening = try UnixSocket.listen(at: path, .stream).release()
        source = try DescriptorSource(listening, .readable) { [weak self] _ in
            guard let self, let peer = try? UnixSocket.accept(listening) else { return }
            let descriptor = peer.release()
            accepted.append(descriptor)
            if let answer { _ = write(descriptor, answer, answer.utf8.count) }
        }
    }

    isolated deinit {
        source?.cancel()
        for descriptor in accepted + [listening] { _ = close(descriptor) }
        _ = unlink(path)
    }
}
