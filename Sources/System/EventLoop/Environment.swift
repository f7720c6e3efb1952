import Glibc

/// The environment of this process (environ(7)).
package enum Environment {
    /// The value of a variable; nil if it is not set or empty.
    package static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// The directory in which the program of this process lies, without a slash at its end.
    package static func programDirectory() throws(SystemError) -> String {
        let program = destination(of: "/proc/self/exe") ?? ""
        guard let end = program.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            throw SystemError("find this program")
        }
        return String(program[..<end])
    }
}
