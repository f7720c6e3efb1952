import CDBus
import Glibc

/// The path of an object on a bus, for example `/org/bluez/hci0`. Always valid.
package struct ObjectPath: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral
{
    package let text: String

    /// - Parameter text: Elements of `[A-Za-z0-9_]` separated by slashes (D-Bus specification, "Valid Object
    ///   Paths"). The result is nil for anything else.
    package init?(_ text: String) {
        guard isValid(text, dbus_validate_path) else { return nil }
        self.text = text
    }

    /// For literals in the source; traps on an invalid one.
    package init(stringLiteral text: String) {
        precondition(isValid(text, dbus_validate_path), "\(text) is not an object path")
        self.text = text
    }

    package var description: String { text }

    /// Returns true if this is `ancestor` or lies below it.
    package func isWithin(_ ancestor: ObjectPath) -> Bool {
        ancestor.text == "/" || text == ancestor.text || text.hasPrefix(ancestor.text + "/")
    }

    /// This path with `element` appended, or nil if `element` is not made of `[A-Za-z0-9_]`.
    package func appending(_ element: String) -> ObjectPath? {
        ObjectPath(text == "/" ? "/" + element : text + "/" + element)
    }

    /// The path without its last element; nil for the root.
    package var parent: ObjectPath? {
        guard text != "/", let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return ObjectPath(slash == text.startIndex ? "/" : String(text[..<slash]))
    }

    package static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }
}

/// The rules of the D-Bus specification ("Valid Names"). libdbus aborts the process if it is passed a name
/// that breaks them, so that every name is checked here first.
enum BusNames {
    static func isBusName(_ text: String) -> Bool { isValid(text, dbus_validate_bus_name) }
    static func isInterface(_ text: String) -> Bool { isValid(text, dbus_validate_interface) }
    static func isMember(_ text: String) -> Bool { isValid(text, dbus_validate_member) }
    static func isErrorName(_ text: String) -> Bool { isValid(text, dbus_validate_error_name) }
    static func isSignature(_ text: String) -> Bool { isValid(text, dbus_signature_validate) }
    static func isSingleType(_ text: String) -> Bool { isValid(text, dbus_signature_validate_single) }

    /// D-Bus strings contain no NUL; `String` guarantees that they are UTF-8.
    static func isText(_ text: String) -> Bool { !text.utf8.contains(0) }
}

private typealias Check = (UnsafePointer<CChar>?, UnsafeMutablePointer<CDBus.DBusError>?) -> dbus_bool_t

private func isValid(_ text: String, _ check: Check) -> Bool {
    // The C function would see only the text before a NUL.
    text.withCString { strlen($0) == text.utf8.count && check($0, nil) != 0 }
}
