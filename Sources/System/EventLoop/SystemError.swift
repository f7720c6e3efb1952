import Glibc

/// A failed call into the kernel or a C library, described for people: what was attempted, on what, and why
/// it failed.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The attempted action; completes "could not …".
    package let action: String
    /// The `errno` value.
    package let code: Int32

    /// - Parameters:
    ///   - action: Completes "could not …", and names the file or address where there is one.
    ///   - code: An `errno` value; the current one by default.
    package init(_ action: String, _ code: Int32? = nil) {
        self.action = action
        self.code = code ?? errno
    }

    package var reason: String { String(cString: strerror(code)) }

    package var description: String { "could not \(action): \(reason)" }
}
