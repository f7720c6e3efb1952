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
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count)
        let bytes = path.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
        guard let end = bytes.lastIndex(of: UInt8(ascii: "/")) else { throw SystemError("find this program") }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
