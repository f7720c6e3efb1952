extension TestProcess {
    /// A process that attaches to the core as an application, prints each message that it receives.
    ///
    /// - Parameters:
    ///   - identifier: The application's.
    ///   - name: For people.
    ///   - directory: `$XDG_RUNTIME_DIR` of the core.
    /// - Returns: The process, which may not have attached yet.
    /// - Throws: If it cannot be started.
    package static func attaching(
        as identifier: String,
        named name: String,
        in directory: String
    ) throws -> TestProcess {
        let script = """
            import socket, sys
            path, identifier, name = sys.argv[1:]
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(path)
            peer.sendall(b'{"method":"org.pushtotalk.Application.Attach","more":true,"parameters":'
                b'{"identifier":"%b","name":"%b"}}\\0' % (identifier.encode(), name.encode()))
            rest = b""
            while data := peer.recv(65536):
                *messages, rest = (rest + data).split(b"\\0")
                for message in messages: print(message.decode(), flush=True)
            """
        return try TestProcess(["python3", "-c", script, directory + "/pushtotalk/core", identifier, name])
    }
}
