import DBus
package import EventLoop

/// The part of org.mobian_project.CallAudio that reports calls.
@EventLoop
package final class ScriptedCallaudiod {
    private let connection: BusConnection
    private var object: ExportedObject?
    private var mode: UInt32
    /// Receives an element for each time that the mode is read.
    package let reads = AsyncQueue(of: Void.self)

    private static let path: ObjectPath = "/org/mobian_project/CallAudio"
    private static let interface = "org.mobian_project.CallAudio"

    package static func start(_ address: String, mode: UInt32 = 0) async throws -> ScriptedCallaudiod {
        let connection = try await BusConnection.open(.address(address))
        let service = ScriptedCallaudiod(connection, mode)
        let property = ExportedProperty("AudioMode", "u") { [weak service] in
            // The property is also read when the object is exported.
            if service?.object != nil { service?.reads.add(()) }
            return .uint32(service?.mode ?? 0)
        }
        let interface = ExportedInterface(Self.interface, properties: [property])
        service.object = try connection.export(Self.path, [interface])
        _ = try await connection.requestName("org.mobian_project.CallAudio")
        return service
    }

    private init(_ connection: BusConnection, _ mode: UInt32) {
        self.connection = connection
        self.mode = mode
    }

    /// Ends as in a crash.
    package func crash() { connection.close() }

    /// An invalidated property is named in the signal without its value.
    package func select(_ mode: UInt32, isInvalidated: Bool = false) throws {
        self.mode = mode
        try connection.emit(
            .propertiesChanged(
                path: Self.path,
                interface: Self.interface,
                changed: isInvalidated ? [:] : ["AudioMode": .uint32(mode)],
                invalidated: isInvalidated ? ["AudioMode"] : []
            )
        )
    }
}
