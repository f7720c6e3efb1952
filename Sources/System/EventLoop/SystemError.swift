import Glibc

/// A call into the kernel or a C library that failed, told for people: what was tried, on what, and why not.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// What was tried, as the end of "could not …".
    package let action: String
    /// The `errno` value.
    package let code: Int32

    /// - Parameters:
    ///   - action: Completes "could not …", naming the file or address where there is one.
    ///   - code: An `errno` value; the current one if left out.
    package init(_ action: String, _ code: Int32? = nil) {
        self.action = action
        self.code = code ?? errno
    }

    package var reason: String { String(cString: strerror(code)) }

    package var description: String { "could not \(action): \(reason)" }
}
