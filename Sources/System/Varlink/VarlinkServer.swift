package import EventLoop
import Glibc
import JSON

/// Serves Varlink interfaces on Unix sockets to processes of one user.
@EventLoop
package final class VarlinkServer {
    private let limits: VarlinkLimits
    private let budget: BufferBudget
    private let allowedUser: UInt32
    let log: @EventLoop (_ line: String, _ processID: Int32) -> Void
    /// A few dozen at most: a name is found by comparing it with each.
    private var routes: [Route] = []
    private var listeners: [SocketListener] = []
    private var connections: [VarlinkConnection.Identifier: VarlinkConnection] = [:]
    private static var connectionCount: UInt64 = 0

    private struct Route {
        /// The name of the method, with its interface.
        let name: String
        let interface: String
        let method: String
        let handler: VarlinkInterface.Handler
    }

    /// - Parameters:
    ///   - info: The reply to `org.varlink.service.GetInfo`, but for the interfaces.
    ///   - interfaces: The interfaces to serve, in addition to `org.varlink.service`.
    ///   - limits: The limits of each peer.
    ///   - allowedUser: Only processes of this user may connect; if left out, the user of this process.
    ///   - log: Receives a line for each peer that is refused or disconnected, with the reason and the peer's
    ///     process, 0 if that is unknown. The caller limits the rate: a peer can cause any number of lines.
    package init(
        _ info: VarlinkServiceInfo,
        _ interfaces: [VarlinkInterface],
        limits: VarlinkLimits = VarlinkLimits(),
        allowedUser: UInt32? = nil,
        log: @escaping @EventLoop (_ line: String, _ processID: Int32) -> Void
    ) {
        self.limits = limits
        budget = BufferBudget(limit: limits.sharedBytes)
        self.allowedUser = allowedUser ?? getuid()
        self.log = log
        for interface in interfaces + [.service(info, offering: interfaces)] {
            for (method, handler) in interface.methods {
                let name = "\(interface.name).\(method)"
                routes.append(
                    Route(name: name, interface: interface.name, method: method, handler: handler)
                )
            }
        }
    }

    isolated deinit { stop() }

    /// Accepts connections on a listening socket. ``stop()`` closes it, and leaves its file.
    package func listen(on descriptor: consuming OwnedDescriptor) throws(SystemError) {
        listeners.append(
            try SocketListener(descriptor) { [weak self] result in
                guard let self else { return }
                do throws(SystemError) {
                    try serve(OwnedDescriptor(adopting: try result.get()))
                } catch {
                    log("\(error)", 0)
                }
            }
        )
    }

    /// Serves one peer on a connected socket.
    package func serve(_ descriptor: consuming OwnedDescriptor) throws(SystemError) {
        let peer = try UnixSocket.peerCredentials(descriptor.value)
        let process = peer.processID
        guard peer.userID == allowedUser else {
            return log("refused process \(process) of user \(peer.userID), another user", process)
        }
        makeRoom()
        guard connections.count < limits.connections else {
            return log("refused process \(process): \(limits.connections) are connected already", process)
        }
        let stream = try MessageStream(
            adopting: descriptor,
            limits: limits,
            priority: .idle,
            budget: budget
        )
        Self.connectionCount += 1
        let identifier = VarlinkConnection.Identifier(number: Self.connectionCount)
        connections[identifier] = VarlinkConnection(
            identifier,
            processID: process,
            stream: stream,
            of: self
        )
    }

    /// Stops listening and closes all connections.
    package func stop() {
        listeners = []
        let closing = connections.values
        connections = [:]
        for connection in closing { connection.cancel() }
    }

    /// Closes a connection if the limit is reached: the oldest of the process that has most, if that has more
    /// than its share, or the oldest one that has made no call. So connections that are left open lock nobody
    /// out.
    private func makeRoom() {
        guard connections.count >= limits.connections else { return }
        let counts = connections.values.reduce(into: [:]) { $0[$1.processID, default: 0] += 1 }
        let candidates = connections.values.filter {
            $0.priority != .important && (counts[$0.processID, default: 0] > limits.share || !$0.hasCalled)
        }
        let oldest = candidates.min { left, right in
            (counts[right.processID, default: 0], left.identifier.number)
                < (counts[left.processID, default: 0], right.identifier.number)
        }
        guard let oldest else { return }
        log(
            "closed a connection of process \(oldest.processID) for another: \(limits.connections) were connected",
            oldest.processID
        )
        forget(oldest)
        oldest.cancel()
    }

    func forget(_ connection: VarlinkConnection) {
        connections[connection.identifier] = nil
    }

    /// Calls the handler of a method, or replies that there is none.
    func dispatch(_ message: CallMessage, from connection: VarlinkConnection) {
        if let route = routes.first(where: { $0.name.hasSameBytes(as: message.method) }) {
            let call = VarlinkCall(message, interface: route.interface, method: route.method, on: connection)
            do throws(VarlinkError) {
                return try route.handler(call)
            } catch {
                return call.fail(error)
            }
        }
        let dot = message.method.utf8.lastIndex(of: UInt8(ascii: ".")) ?? message.method.startIndex
        let name = String(message.method[..<dot])
        // By scalars: a combining mark after the dot belongs to the method.
        let method = String(message.method.unicodeScalars[dot...].dropFirst())
        let call = VarlinkCall(message, interface: name, method: method, on: connection)
        guard !name.isEmpty else { return call.fail(.invalidParameter("method")) }
        let isOffered = routes.contains { $0.interface.hasSameBytes(as: name) }
        call.fail(isOffered ? .methodNotFound(message.method) : .interfaceNotFound(name))
    }
}
