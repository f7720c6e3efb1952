import EventLoop
import PTTCore
import PTTMessages
import Varlink

/// The clients of the machine and their connections to the core's socket.
///
/// A plain client has one connection. An application has two: one that receives events and one that makes
/// calls.
@EventLoop
final class ClientConnections {
    private struct Application {
        /// Its call of `Attach`, which has a reply per event.
        let call: VarlinkCall
        var callToken: String?
        var caller: VarlinkConnection?
    }

    /// Called once for each client that has made a request, when its connection has closed.
    private let gone: @EventLoop (ClientID) -> Void
    private var clients: [VarlinkConnection.Identifier: (client: ClientID, connection: VarlinkConnection)] =
        [:]
    private var important: [ClientID] = []
    private var applications: [ClientID: Application] = [:]
    private var lastClient = 0

    init(gone: @escaping @EventLoop (ClientID) -> Void) {
        self.gone = gone
    }

    func client(of connection: VarlinkConnection) -> ClientID {
        if let known = clients[connection.identifier] { return known.client }
        lastClient += 1
        let client = ClientID(rawValue: lastClient)
        add(connection, of: client)
        return client
    }

    /// Serves these clients before all others until the next call: their requests, and their end, close the
    /// microphone.
    func serveFirst(_ clients: [ClientID]) {
        important = clients
        for (client, connection) in self.clients.values { connection.priority = priority(of: client) }
    }

    private func priority(of client: ClientID) -> Priority { important.contains(client) ? .important : .idle }

    private func add(_ connection: VarlinkConnection, of client: ClientID) {
        let identifier = connection.identifier
        clients[identifier] = (client, connection)
        connection.priority = priority(of: client)
        connection.onClose { [weak self] in self?.ended(identifier) }
    }

    /// Makes the client of the call an application.
    ///
    /// - Returns: The token for `UseAttachment`.
    func attach(_ call: VarlinkCall) -> String {
        let client = client(of: call.connection)
        let token = Token.random()
        applications[client] = Application(call: call, callToken: token)
        return token
    }

    /// Makes a connection that of the calls of the application that was given the token.
    ///
    /// - Returns: True if the token is valid and the connection has made no request before.
    func useAttachment(_ token: String, for connection: VarlinkConnection) -> Bool {
        guard clients[connection.identifier] == nil,
            let client = applications.first(where: { $0.value.callToken == token })?.key
        else { return false }
        applications[client]?.callToken = nil
        applications[client]?.caller = connection
        add(connection, of: client)
        return true
    }

    /// The call that an application receives events on; nil for a client that is not attached.
    func attachment(of client: ClientID) -> VarlinkCall? {
        applications[client]?.call
    }

    /// The call that an application receives events on, for a connection that it makes calls on; nil for any
    /// other.
    func attachment(ofCaller connection: VarlinkConnection) -> VarlinkCall? {
        guard let known = clients[connection.identifier], let application = applications[known.client],
            application.caller?.identifier == connection.identifier
        else { return nil }
        return application.call
    }

    /// Losing either connection ends the application.
    private func ended(_ identifier: VarlinkConnection.Identifier) {
        guard let client = clients.removeValue(forKey: identifier)?.client else { return }
        if let application = applications.removeValue(forKey: client) {
            for connection in [application.call.connection, application.caller].compactMap(\.self) {
                clients[connection.identifier] = nil
                if connection.identifier != identifier { connection.close() }
            }
        }
        gone(client)
    }
}
