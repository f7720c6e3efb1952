package import DBus
package import EventLoop

/// A template of python-dbusmock on a system bus of its own.
@EventLoop
package final class MockedService {
    private let name: String
    package let bus: PrivateBus
    private let process: TestProcess
    private let client: BusConnection

    /// - Throws: ``PythonPackage/Missing`` where the package cannot be installed.
    package init(_ template: String, name: String) async throws {
        let directory = try await PythonPackage.dbusmock.installed()
        self.name = name
        bus = try await PrivateBus.start()
        process = try TestProcess(
            [PythonPackage.dbusmock.interpreter, "-m", "dbusmock", "--system", "--template", template],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address, "PYTHONPATH": directory],
            mergesErrors: true
        )
        client = try await BusConnection.open(.address(bus.address))
        let owners = AsyncQueue(of: String?.self)
        let watch = client.watchName(name) { owners.add($0) }
        _ = try await owners.first { $0 != nil }
        watch.cancel()
    }

    package func call(_ call: MethodCall) async throws { _ = try await client.call(call) }

    /// Calls a method of the mock's own interface.
    package func mock(_ member: String, at path: ObjectPath, _ arguments: [BusValue]) async throws {
        let interface = "org.freedesktop.DBus.Mock"
        try await call(
            RemoteInterface(service: name, path: path, name: interface).call(member, arguments)
        )
    }

    /// Emits a signal whose argument is an object.
    package func emit(_ signal: String, of interface: String, at path: ObjectPath, _ object: ObjectPath)
        async throws
    {
        let arguments: BusValue = .array(of: "v", [.variant(.objectPath(object))])
        try await mock(
            "EmitSignal",
            at: path,
            [.string(interface), .string(signal), .string("o"), arguments]
        )
    }

    package func kill() { process.kill() }

    package static func properties(_ values: [String: BusValue]) -> BusValue {
        .dictionary(
            keys: "s",
            values: "v",
            Dictionary(uniqueKeysWithValues: values.map { (.string($0), .variant($1)) })
        )
    }
}
