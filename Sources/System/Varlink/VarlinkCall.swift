package import EventLoop
package import JSON

/// A call of a client. It has one reply or, with `more`, any number of replies.
///
/// The calls of one connection are handled in their order: the next one reaches its handler after the last
/// reply to this one. A call that is dropped without its last reply closes the connection. Replies after the
/// last one, or after the client has disconnected, have no effect.
@EventLoop
package final class VarlinkCall {
    package let connection: VarlinkConnection
    package let interface: String
    /// Without its interface.
    package let method: String
    package let parameters: JSONObject
    /// The client accepts more than one reply.
    package let wantsMore: Bool
    /// The client wants no reply. Replying has no effect.
    package let isOneway: Bool
    private var hasLastReply = false

    init(_ message: CallMessage, interface: String, method: String, on connection: VarlinkConnection) {
        self.connection = connection
        self.interface = interface
        self.method = method
        parameters = message.parameters
        wantsMore = message.isMore
        isOneway = message.isOneway
    }

    isolated deinit {
        if !hasLastReply { connection.callWasDropped("\(interface).\(method)") }
    }

    /// The parameters as a value of `type`.
    ///
    /// - Throws: ``VarlinkError/invalidParameter(_:)`` for a parameter that is missing, unknown or of the
    ///   wrong type.
    package func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(VarlinkError) -> Value {
        do throws(JSONDecodingError) {
            return try parameters.decode(type)
        } catch {
            throw .invalidParameter(error.path)
        }
    }

    /// Replies with the parameters that the interface declares. If more replies follow, a client that does
    /// not accept that receives ``VarlinkError/expectedMore`` instead, and the call has ended.
    package func reply(_ parameters: JSONText = [:], continues: Bool = false) {
        if continues, !wantsMore, !isOneway { return fail(.expectedMore) }
        send(.reply(parameters, continues: continues), isLast: !continues)
    }

    /// Replies with an error, which is always the last reply.
    package func fail(_ error: VarlinkError) {
        send(.error(error), isLast: true)
    }

    private func send(_ message: OutgoingMessage, isLast: Bool) {
        // A handler may continue after a mistake of the client has ended the call. That is no error of this
        // process.
        guard !hasLastReply else { return }
        hasLastReply = isLast
        connection.send(message, to: self, isLast: isLast)
    }
}
