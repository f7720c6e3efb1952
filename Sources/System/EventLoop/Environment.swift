import Glibc

/// The environment of this process (environ(7)).
package enum Environment {
    /// The value of a variable; nil if it is not set or empty.
    package static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
