import EventLoop
import Glibc

/// A line for PulseAudio's command line (`module-cli-protocol-unix`). The result is that it was written: the
/// server carries it out a moment later, also if this end is closed by then.
@EventLoop
final class CommandLineRequest: ServerRequest<Void> {
    private let line: String
    private let socket: String

    init(_ action: String, _ line: String, socket: String, completion: @escaping Completion) {
        self.line = line
        self.socket = socket
        super.init(action, completion: completion)
    }

    override func begin() {
        var failure: SystemError?
        do throws(SystemError) { try write() } catch { failure = error }
        // Not during the call: after the last of its orders ``VirtualSource`` asks for a list, and it is not
        // to do so while it handles one.
        EventLoop.start { [weak self, failure] in
            if let failure { self?.fail("\(failure)", .other) } else { self?.finish(.success(())) }
        }
    }

    /// A socket that nobody has written to takes so short a text whole.
    private func write() throws(SystemError) {
        let connection = try UnixSocket.connect(to: socket, .stream)
        let bytes = Array((line + "\n").utf8)
        guard Glibc.send(connection.value, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SystemError("write to \(socket)")
        }
    }
}
