import CDBus

/// A call or a connection that failed: the error's name and message as the bus or the peer gave them.
package struct BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What the error means for the caller. Peers have names of their own; those are ``other``.
    package enum Kind: Sendable {
        /// No answer within the time limit, or the peer went away without one.
        case noReply
        /// The connection to the bus is lost.
        case disconnected
        /// Nobody owns the name, and nothing could be started that would.
        case serviceUnknown
        /// The peer has no such object, interface, method or property.
        case unknownObject
        /// An argument was refused, by the peer or already on this side.
        case invalidArguments
        /// The bus or the peer forbids it.
        case accessDenied
        /// The bus or this side has no room left.
        case limitsExceeded
        case other
    }

    /// `org.freedesktop.DBus.Error.NoReply` for example.
    package let name: String
    /// In the words of whoever reported it; may be empty.
    package let message: String
    /// What was tried, as the end of "could not …"; empty if this error is an answer of our own.
    package let action: String

    package init(name: String, message: String, action: String = "") {
        self.name = name
        self.message = message
        self.action = action
    }

    package var kind: Kind {
        guard name.utf8.starts(with: Self.standard.utf8) else { return .other }
        return switch String(decoding: name.utf8.dropFirst(Self.standard.utf8.count), as: UTF8.self) {
        case "NoReply", "Timeout", "TimedOut": .noReply
        case "Disconnected", "NoServer": .disconnected
        case "ServiceUnknown", "NameHasNoOwner": .serviceUnknown
        case "UnknownObject", "UnknownInterface", "UnknownMethod", "UnknownProperty": .unknownObject
        case "InvalidArgs", "InvalidSignature": .invalidArguments
        case "AccessDenied", "AuthFailed": .accessDenied
        case "LimitsExceeded", "NoMemory": .limitsExceeded
        default: .other
        }
    }

    package var description: String {
        let reason = message.isEmpty ? name : "\(message) (\(name))"
        return action.isEmpty ? reason : "could not \(action): \(reason)"
    }

    /// An answer to a caller whose arguments make no sense.
    package static func invalidArguments(_ message: String) -> BusError {
        BusError(name: standard + "InvalidArgs", message: message)
    }

    /// An answer to a caller of a method that failed for any other reason.
    package static func failed(_ message: String) -> BusError {
        BusError(name: standard + "Failed", message: message)
    }

    static let standard = "org.freedesktop.DBus.Error."

    static func standard(_ name: String, _ message: String) -> BusError {
        BusError(name: standard + name, message: message)
    }

    static func disconnected(_ message: String) -> BusError { .standard("Disconnected", message) }

    func trying(_ action: String) -> BusError {
        BusError(name: name, message: message, action: action)
    }
}

/// Calls a libdbus function that reports through a `DBusError` and returns nil if it failed. The optional
/// matters: a NULL forced into a non-optional would trap before the error is read.
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
