import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

/// Descriptors as arguments of an exported method, as bluetoothd passes them to `Profile1.NewConnection`.
@Suite(.serialized) struct DescriptorTests {
    nonisolated private static let interface = "org.example.Port"
    nonisolated private static let path: ObjectPath = "/org/example/port"

    init() { withRunningLoop() }

    @Test @EventLoop func `a method receives a descriptor between a path and properties`() async throws {
        let peers = try await Peers()
        let port = try Port(on: peers.service)
        let (near, far) = try UnixSocket.pair(.stream)
        defer { _ = close(near) }
        let options = BusValue.properties(["Version": .uint16(0x0102)])
        _ = try await peers.client.call(
            peers.open(.descriptor(BusDescriptor(OwnedDescriptor(adopting: far))), options)
        )
        let arguments = try await port.calls.next()
        #expect(arguments[0].asObjectPath == "/org/bluez/hci0/dev")
        #expect(arguments[2].asProperties?["Version"]?.asInt == 0x0102)
        let received = try #require(arguments[1].asDescriptor)
        let descriptor = received.take()?.release() ?? -1
        defer { _ = close(descriptor) }
        let second = received.take()?.release()
        #expect(second == nil)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(write(descriptor, "x", 1) == 1)
        var byte: UInt8 = 0
        #expect(read(near, &byte, 1) == 1)
    }

    @Test @EventLoop func `a descriptor that no handler takes is closed`() async throws {
        let peers = try await Peers()
        let port = try Port(on: peers.service)
        let (near, far) = try UnixSocket.pair(.stream)
        defer { _ = close(near) }
        do {
            let sent = BusDescriptor(OwnedDescriptor(adopting: far))
            _ = try await peers.client.call(peers.open(.descriptor(sent), .properties([:])))
            _ = try await port.calls.next()
        }
        try await peers.settle()
        var byte: UInt8 = 0
        #expect(read(near, &byte, 1) == 0)
    }

    @Test @EventLoop func `descriptors in calls that are refused are closed`() async throws {
        let peers = try await Peers()
        let port = try Port(on: peers.service)
        let before = try await openDescriptors(peers)
        let refused: [@EventLoop (BusValue) -> MethodCall] = [
            // The wrong types, no such method, no such object.
            { peers.open($0, .string("")) },
            { peers.call("Absent", $0) },
            { peers.open($0, .properties([:]), at: "/elsewhere") },
        ]
        for round in 0..<200 {
            let (near, far) = try UnixSocket.pair(.stream)
            _ = close(near)
            let sent = BusValue.descriptor(BusDescriptor(OwnedDescriptor(adopting: far)))
            let call = refused[round % refused.count](sent)
            _ = await BusError.thrown { try await peers.client.call(call) }
        }
        #expect(try await openDescriptors(peers) == before)
        withExtendedLifetime(port) {}
    }

    @EventLoop private func openDescriptors(_ peers: Peers) async throws -> Int {
        try await peers.settle()
        guard let directory = opendir("/proc/self/fd") else { throw SystemError("list descriptors") }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    /// An object with a method as `Profile1.NewConnection`.
    @EventLoop
    private final class Port {
        let calls = AsyncQueue(of: [BusValue].self)
        private var object: ExportedObject?

        init(on connection: BusConnection) throws {
            let method = ExportedMethod(
                "Open",
                inputs: ["device": "o", "descriptor": "h", "properties": "a{sv}"]
            ) { [calls] call in
                calls.add(call.arguments)
                call.reply()
            }
            object = try connection.export(path, [ExportedInterface(interface, methods: [method])])
        }
    }
}

extension Peers {
    fileprivate func open(
        _ descriptor: BusValue,
        _ options: BusValue,
        at path: ObjectPath = "/org/example/port"
    ) -> MethodCall {
        RemoteInterface(service: Self.name, path: path, name: "org.example.Port")
            .call("Open", [.objectPath("/org/bluez/hci0/dev"), descriptor, options])
    }
}
