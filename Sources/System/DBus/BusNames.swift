import CDBus

/// The path of an object on a bus, `/org/bluez/hci0` for example. Always valid.
package struct ObjectPath: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral
{
    package let text: String

    /// - Parameter text: Elements of `[A-Za-z0-9_]` separated by slashes; anything else gives nil (D-Bus
    ///   specification, "Valid Object Paths").
    package init?(_ text: String) {
        guard isValid(text, dbus_validate_path) else { return nil }
        self.text = text
    }

    /// For paths spelled in the source; traps on an invalid one.
    package init(stringLiteral text: String) {
        precondition(isValid(text, dbus_validate_path), "\(text) is no object path")
        self.text = text
    }

    package var description: String { text }

    /// Whether this is `ancestor` or lies below it.
    package func isWithin(_ ancestor: ObjectPath) -> Bool {
        ancestor.text == "/" || text == ancestor.text || text.hasPrefix(ancestor.text + "/")
    }

    /// The path one element longer, or nil if `element` is not made of `[A-Za-z0-9_]`.
    package func appending(_ element: String) -> ObjectPath? {
        ObjectPath(text == "/" ? "/" + element : text + "/" + element)
    }

    package static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }
}

/// The rules of the D-Bus specification ("Valid Names"). libdbus aborts the process when one of its
/// functions is given a name that breaks them, so everything is checked here first.
enum BusNames {
    static func isBusName(_ text: String) -> Bool { isValid(text, dbus_validate_bus_name) }
    static func isInterface(_ text: String) -> Bool { isValid(text, dbus_validate_interface) }
    static func isMember(_ text: String) -> Bool { isValid(text, dbus_validate_member) }
    static func isErrorName(_ text: String) -> Bool { isValid(text, dbus_validate_error_name) }
    static func isSignature(_ text: String) -> Bool { isValid(text, dbus_signature_validate) }
    static func isSingleType(_ text: String) -> Bool { isValid(text, dbus_signature_validate_single) }

    /// D-Bus strings have no NUL; that they are UTF-8 is what `String` guarantees.
    static func isText(_ text: String) -> Bool { !text.utf8.contains(0) }
}

private typealias Check = (UnsafePointer<CChar>?, UnsafeMutablePointer<CDBus.DBusError>?) -> dbus_bool_t

private func isValid(_ text: String, _ check: Check) -> Bool {
    // A NUL would hide what comes after it from the C function.
    BusNames.isText(text) && text.withCString { check($0, nil) } != 0
}
