import Glibc

/// Where libpulse looks for the server, as far as that is a file (pulse-client.conf(5), `PULSE_SERVER`).
enum ServerSocket {
    /// The files whose appearance says that a server may be there now.
    ///
    /// PipeWire's own socket is beside the directory of the one that is connected to. `pipewire-pulse` goes on without
    /// PipeWire, refusing everybody, and serves again when that is back.
    ///
    /// - Parameter address: The one that libpulse is given, if any.
    /// - Returns: Absolute paths, the server's first; none if it is not reached through a file, or by a setting of
    ///   `client.conf`, which is libpulse's own business.
    static func paths(_ address: String?) -> [String] {
        guard let path = path(address) else { return [] }
        let end = "/pulse/native"
        return path.hasSuffix(end) ? [path, String(path.dropLast(end.count)) + "/pipewire-0"] : [path]
    }

    private static func path(_ address: String?) -> String? {
        path(
            address ?? variable("PULSE_SERVER"),
            pulseDirectory: variable("PULSE_RUNTIME_PATH"),
            runtimeDirectory: variable("XDG_RUNTIME_DIR")
        )
    }

    static func path(_ address: String?, pulseDirectory: String?, runtimeDirectory: String?) -> String? {
        guard let address else {
            return (pulseDirectory ?? runtimeDirectory.map { $0 + "/pulse" }).map { $0 + "/native" }
        }
        // Servers to try stand one after the other, each perhaps with the machine that it is for: {…}unix:/path.
        let paths = address.utf8.split(separator: UInt8(ascii: " ")).map { server in
            let isMarked = server.first == UInt8(ascii: "{")
            let name = isMarked ? server.drop { $0 != UInt8(ascii: "}") }.dropFirst() : server
            return name.starts(with: "unix:".utf8) ? name.dropFirst(5) : name
        }
        return paths.first { $0.first == UInt8(ascii: "/") }.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = text(UnsafePointer(getenv(name))), !value.isEmpty else { return nil }
        return value
    }
}
