import Glibc

/// Where a bus listens.
package enum BusAddress: Sendable, Equatable, CustomStringConvertible {
    /// The bus of the machine: `$DBUS_SYSTEM_BUS_ADDRESS`, or its well-known socket.
    case system
    /// The bus of the user: `$DBUS_SESSION_BUS_ADDRESS`, or `$XDG_RUNTIME_DIR/bus`. Never starts one.
    case session
    /// A D-Bus server address, `unix:path=/run/some/bus` for example.
    case address(String)

    /// The address in the syntax of the D-Bus specification ("Server Addresses").
    ///
    /// - Throws: If the environment names no session bus.
    package func resolve() throws(BusError) -> String {
        switch self {
        case .system:
            return Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session:
            if let address = Self.variable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let directory = Self.variable("XDG_RUNTIME_DIR") else {
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

    package var description: String {
        switch self {
        case .system: "the system bus"
        case .session: "the session bus"
        case .address(let address): "the bus at \(address)"
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
