import EventLoop

/// The address of a bus.
package enum BusAddress: Sendable, Equatable, CustomStringConvertible {
    /// The system bus: `$DBUS_SYSTEM_BUS_ADDRESS`, or its well-known socket.
    case system
    /// The user's bus: `$DBUS_SESSION_BUS_ADDRESS`, or `$XDG_RUNTIME_DIR/bus`. Never launches one.
    case session
    /// A D-Bus server address, for example `unix:path=/run/some/bus`.
    case address(String)

    /// The address in the syntax of the D-Bus specification ("Server Addresses").
    ///
    /// - Throws: If the environment names no session bus.
    func resolve() throws(BusError) -> String {
        switch self {
        case .system:
            return Environment.variable("DBUS_SYSTEM_BUS_ADDRESS")
                ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            if let address = Environment.variable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let directory = Environment.variable("XDG_RUNTIME_DIR") else {
                throw BusError(
                    name: BusError.standard + "NoServer",
                    message: "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set",
                    action: "find the session bus"
                )
            }
            return "unix:path=\(directory)/bus"
        case .address(let address):
            return address
        }
    }

    /// The path of the bus's socket; nil if it has none, there are several addresses, or the path contains
    /// escapes.
    var socketPath: String? {
        let prefix = "unix:path=/"
        guard let text = try? resolve(), text.utf8.starts(with: prefix.utf8),
            !text.utf8.contains(where: { ",;%".utf8.contains($0) })
        else { return nil }
        return String(text.dropFirst(prefix.count - 1))
    }

    package var description: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }
}
