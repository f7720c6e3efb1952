import CDBus

/// A failed call or connection, with the name and message of the error from the bus or the peer.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The meaning of the error for the caller. Errors that peers define themselves are ``other``.
    package enum Kind: Sendable {
        /// No answer within the timeout, or the peer disconnected without one.
        case noReply
        /// The connection to the bus is lost.
        case disconnected
        /// The name has no owner, and no service could be started for it.
        case serviceUnknown
        /// The peer has no such object, interface, method or property.
        case unknownObject
        /// An argument was refused, by the peer or before sending.
        case invalidArguments
        /// The bus or the peer forbids it.
        case accessDenied
        case other
    }

    /// For example `org.freedesktop.DBus.Error.NoReply`.
    package let name: String
    /// The text of the sender; may be empty.
    package let message: String
    /// The attempted action; completes "could not …". Empty if this error is our own answer to a caller.
    package let action: String

    package init(name: String, message: String, action: String = "") {
        self.name = name
        self.message = message
        self.action = action
    }

    package var kind: Kind {
        if Self.withoutService.contains(where: { name.utf8.starts(with: $0.utf8) }) { return .serviceUnknown }
        guard name.utf8.starts(with: Self.standard.utf8) else { return .other }
        return switch String(decoding: name.utf8.dropFirst(Self.standard.utf8.count), as: UTF8.self) {
        case "NoReply", "Timeout", "TimedOut": .noReply
        case "Disconnected", "NoServer": .disconnected
        case "ServiceUnknown", "NameHasNoOwner": .serviceUnknown
        case "UnknownObject", "UnknownInterface", "UnknownMethod", "UnknownProperty": .unknownObject
        case "InvalidArgs", "InvalidSignature": .invalidArguments
        case "AccessDenied", "AuthFailed": .accessDenied
        default: .other
        }
    }

    /// True if there is no bus to connect to: its socket does not exist.
    package var isWithoutBus: Bool { name == Self.standard + "FileNotFound" }

    package var description: String {
        let reason = message.isEmpty ? name : "\(message) (\(name))"
        return action.isEmpty ? reason : "could not \(action): \(reason)"
    }

    /// The answer to a call with invalid arguments.
    package static func invalidArguments(_ message: String) -> BusError {
        BusError(name: standard + "InvalidArgs", message: message)
    }

    /// The answer to a call that failed for any other reason.
    package static func failed(_ message: String) -> BusError {
        BusError(name: standard + "Failed", message: message)
    }

    static let standard = "org.freedesktop.DBus.Error."

    /// The errors of a bus that starts the service itself, and those of systemd, which starts it for the bus
    /// and has no unit for it or one that is masked.
    private static let withoutService = [
        "\(standard)Spawn.", "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.UnitMasked",
    ]

    static func standard(_ name: String, _ message: String) -> BusError {
        BusError(name: standard + name, message: message)
    }

    package static func disconnected(_ message: String) -> BusError { .standard("Disconnected", message) }

    func trying(_ action: String) -> BusError {
        BusError(name: name, message: message, action: action)
    }
}

/// Calls a libdbus function that reports errors through a `DBusError` and returns nil on failure. The result
/// must be optional: a NULL in a non-optional would trap before the error is read.
func withBusError<Result>(
    _ call: (UnsafeMutablePointer<CDBus.DBusError>) -> Result?
) throws(BusError) -> Result {
    var error = CDBus.DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    if let result = call(&error) { return result }
    guard let name = error.name, let message = error.message else {
        throw .standard("Failed", "libdbus gave no reason")
    }
    throw BusError(name: String(cString: name), message: String(cString: message))
}
