import EventLoop
import PTTCore
import PTTMessages
import Varlink

/// Who is who on the core's socket: which connection belongs to which client of the machine.
///
/// A plain client has one connection. An application has two: one that is told everything, and one that makes calls.
@EventLoop
final class Clients {
    private struct Application {
        /// The answer of `Attach` that is never the last.
        let call: VarlinkCall
        var callToken: String?
        var caller: VarlinkConnection?
    }

    /// A client's first request makes it known; this hears of its end, once.
    private let gone: @EventLoop (ClientID) -> Void
    private var clients: [VarlinkConnection.Identifier: ClientID] = [:]
    private var connections: [VarlinkConnection.Identifier: VarlinkConnection] = [:]
    private var important: [ClientID] = []
    private var applications: [ClientID: Application] = [:]
    private var lastClient = 0

    init(gone: @escaping @EventLoop (ClientID) -> Void) {
        self.gone = gone
    }

    func client(of connection: VarlinkConnection) -> ClientID {
        let identifier = connection.identifier
        if let client = clients[identifier] { return client }
        lastClient += 1
        let client = ClientID(rawValue: lastClient)
        add(connection, of: client)
        return client
    }

    /// Serves these clients before all others, until others are named: what they say or their end closes the microphone.
    func serveFirst(_ clients: [ClientID]) {
        important = clients
        for (identifier, connection) in connections {
            connection.priority = priority(of: self.clients[identifier])
        }
    }

    private func priority(of client: ClientID?) -> Priority {
        client.map { important.contains($0) } ?? false ? .important : .idle
    }

    private func add(_ connection: VarlinkConnection, of client: ClientID) {
        let identifier = connection.identifier
        clients[identifier] = client
        connections[identifier] = connection
        connection.priority = priority(of: client)
        connection.onClose { [weak self] in self?.ended(identifier) }
    }

    /// - Returns: What the application presents with `UseAttachment`.
    func attach(_ call: VarlinkCall) -> String {
        let client = client(of: call.connection)
        let token = Token.draw()
        applications[client] = Application(call: call, callToken: token)
        return token
    }

    /// Makes the calls of a connection those of the application that was given the token.
    ///
    /// - Returns: Whether the token is good and the connection has asked for nothing else before.
    func use(_ token: String, from connection: VarlinkConnection) -> Bool {
        guard clients[connection.identifier] == nil,
            let client = applications.first(where: { $0.value.callToken == token })?.key
        else { return false }
        applications[client]?.callToken = nil
        applications[client]?.caller = connection
        add(connection, of: client)
        return true
    }

    /// Where an application is told things; nil for a client that is none.
    func attachment(of client: ClientID) -> VarlinkCall? {
        applications[client]?.call
    }

    /// Where the client that makes this call is told the place of its answer among the events.
    func attachment(ofCaller connection: VarlinkConnection) -> VarlinkCall? {
        guard let client = clients[connection.identifier], let application = applications[client],
            application.caller?.identifier == connection.identifier
        else { return nil }
        return application.call
    }

    /// One end is enough: who cannot be told, or cannot ask, has gone.
    private func ended(_ identifier: VarlinkConnection.Identifier) {
        connections[identifier] = nil
        guard let client = clients.removeValue(forKey: identifier) else { return }
        if let application = applications.removeValue(forKey: client) {
            for connection in [application.call.connection, application.caller].compactMap(\.self) {
                clients[connection.identifier] = nil
                if connection.identifier != identifier { connection.close() }
            }
        }
        gone(client)
    }
}

/// What lets its bearer in once.
enum Token {
    /// As many random words of 64 bits, in hexadecimal digits.
    static func draw(words: ClosedRange<Int> = 2...2) -> String {
        var generator = SystemRandomNumberGenerator()
        var text = ""
        for _ in 0..<Int.random(in: words, using: &generator) {
            text += String(hexadecimal: generator.next(), digits: 16)
        }
        return text
    }
}
