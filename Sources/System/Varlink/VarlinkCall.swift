package import EventLoop
package import JSON

/// A call that a client made, to be answered once; with `more`, any number of times before that.
///
/// The calls of one connection are answered in their order: the next one reaches a handler when this one has its
/// last answer. A call that is dropped without one closes its connection. Answering after the last answer, or when
/// the client has gone, does nothing.
@EventLoop
package final class VarlinkCall {
    package let connection: VarlinkConnection
    package let interface: String
    /// Without its interface.
    package let method: String
    package let parameters: JSONObject
    /// The client accepts answers that are not the last.
    package let wantsMore: Bool
    /// The client wants no answer. Answering does nothing.
    package let isOneway: Bool
    private var isAnswered = false

    init(_ message: CallMessage, interface: String, method: String, on connection: VarlinkConnection) {
        self.connection = connection
        self.interface = interface
        self.method = method
        parameters = message.parameters
        wantsMore = message.isMore
        isOneway = message.isOneway
    }

    isolated deinit {
        if !isAnswered { connection.abandoned("\(interface).\(method)") }
    }

    /// The parameters as a value of `type`.
    ///
    /// - Throws: ``VarlinkError/invalidParameter(_:)`` for what is missing, not known or of the wrong type.
    package func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(VarlinkError) -> Value {
        do throws(JSONDecodingError) {
            return try parameters.decode(type)
        } catch {
            throw .invalidParameter(error.path)
        }
    }

    /// Answers.
    ///
    /// - Parameters:
    ///   - parameters: As the interface has them.
    ///   - continues: Further answers follow. If the client did not allow that, it gets
    ///     ``VarlinkError/expectedMore`` instead, and the call is over.
    package func reply(_ parameters: JSONObject = [:], continues: Bool = false) {
        if continues, !wantsMore, !isOneway { return fail(.expectedMore) }
        answer(ReplyMessage(.success(parameters), continues: continues))
    }

    /// Answers with what is encoded already, as ``reply(_:continues:)`` would.
    package func reply(_ prepared: PreparedReply) {
        if prepared.continues, !wantsMore, !isOneway { return fail(.expectedMore) }
        guard !isAnswered else { return }
        isAnswered = !prepared.continues
        connection.send(prepared, to: self)
    }

    /// Answers with an error, which is always the last answer.
    package func fail(_ error: VarlinkError) {
        answer(ReplyMessage(.failure(error)))
    }

    private func answer(_ message: ReplyMessage) {
        // A handler may go on after the client's own mistake has ended the call; that must not stop a daemon.
        guard !isAnswered else { return }
        isAnswered = !message.continues
        connection.send(message, to: self)
    }
}
