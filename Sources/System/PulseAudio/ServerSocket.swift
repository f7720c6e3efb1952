import EventLoop

/// The sockets by which libpulse finds the server (pulse-client.conf(5), `PULSE_SERVER`).
enum ServerSocket {
    /// The sockets whose creation means that a server may be running now.
    ///
    /// PipeWire's own socket is next to the directory of the one for PulseAudio clients. `pipewire-pulse`
    /// keeps running without PipeWire, refuses all clients, and serves them again when PipeWire is back.
    ///
    /// - Parameter address: The address that is passed to libpulse, if any.
    /// - Returns: Absolute paths, the server's first; none if the server has no Unix socket, or is configured
    ///   in `client.conf`, which only libpulse reads.
    static func paths(_ address: String?) -> [String] {
        let path = path(
            address ?? Environment.variable("PULSE_SERVER"),
            pulseDirectory: Environment.variable("PULSE_RUNTIME_PATH"),
            runtimeDirectory: Environment.variable("XDG_RUNTIME_DIR")
        )
        guard let path else { return [] }
        let end = "/pulse/native"
        return path.hasSuffix(end) ? [path, String(path.dropLast(end.count)) + "/pipewire-0"] : [path]
    }

    /// - Parameter address: The address that is passed to libpulse, if any.
    /// - Returns: Where PulseAudio's command line is to listen, beside the server's socket; nil if that has
    ///   no path, or one that an argument of a module would have to quote.
    static func commandLine(_ address: String?) -> String? {
        guard let path = paths(address).first, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
            path.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && !#"'"\"#.utf8.contains($0) })
        else { return nil }
        return String(path[..<slash]) + "/push-to-talk-commands"
    }

    static func path(_ address: String?, pulseDirectory: String?, runtimeDirectory: String?) -> String? {
        guard let address else {
            return (pulseDirectory ?? runtimeDirectory.map { $0 + "/pulse" }).map { $0 + "/native" }
        }
        // A list of servers to try, each optionally with the machine that it applies to: {…}unix:/path.
        let paths = address.utf8.split(separator: UInt8(ascii: " ")).map { server in
            let isMarked = server.first == UInt8(ascii: "{")
            let name = isMarked ? server.drop { $0 != UInt8(ascii: "}") }.dropFirst() : server
            return name.starts(with: "unix:".utf8) ? name.dropFirst(5) : name
        }
        return paths.first { $0.first == UInt8(ascii: "/") }.map { String(decoding: $0, as: UTF8.self) }
    }
}
