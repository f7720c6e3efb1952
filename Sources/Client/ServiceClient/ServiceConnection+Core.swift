import EventLoop
import JSON
package import PTTMessages

/// The methods of `org.pushtotalk.Channel`; ``ChannelInterface/description`` says what each does.
extension ServiceConnection {
    package func status() async throws(ServiceError) -> Status {
        try await call(ChannelInterface.getStatus, NoParameters()).status
    }

    package func join(_ request: ChannelInterface.JoinRequest) async throws(ServiceError)
        -> ChannelInterface.JoinReply
    {
        try await call(ChannelInterface.join, request)
    }

    package func leave(_ channelID: ChannelID?) async throws(ServiceError) {
        _ = try await call(ChannelInterface.leave, ChannelInterface.LeaveRequest(channelID: channelID))
    }

    /// Sends the request in this turn of the loop.
    package func join(
        _ request: ChannelInterface.JoinRequest,
        then: @escaping @EventLoop (Result<ChannelInterface.JoinReply, ServiceError>) -> Void
    ) {
        call(ChannelInterface.join, request, then: then)
    }

    /// Sends the request in this turn of the loop.
    package func leave(
        _ channelID: ChannelID?,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(ChannelInterface.leave, ChannelInterface.LeaveRequest(channelID: channelID), then: then)
    }

    /// Sends the request in this turn of the loop.
    package func setDescriptor(
        _ request: ChannelInterface.DescriptorRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(ChannelInterface.setDescriptor, request, then: then)
    }

    package func begin(_ request: ChannelInterface.BeginRequest) async throws(ServiceError)
        -> ChannelInterface.BeginReply
    {
        try await call(ChannelInterface.beginTransmitting, request)
    }

    package func end(_ request: ChannelInterface.EndRequest) async throws(ServiceError) {
        _ = try await call(ChannelInterface.endTransmitting, request)
    }

    /// Follows the core: the first update has the status, each that follows an event.
    ///
    /// - Parameters:
    ///   - kinds: Events of other kinds than these are left out; nil: none is. Words as in ``CoreEvent/kind``.
    ///   - handler: Called in order.
    ///   - ended: Told once, when the connection is lost or this subscriber fell behind.
    package func subscribe(
        to kinds: Set<String>? = nil,
        _ handler: @escaping @EventLoop (ChannelInterface.Update) -> Void,
        ended: @escaping @EventLoop (ServiceError) -> Void
    ) {
        let socket = socket
        subscribe(
            ChannelInterface.subscribe,
            NoParameters(),
            wanted: { update in
                guard let kinds, let kind = update["event"]?.object?["kind"]?.string else { return true }
                return kinds.contains(kind)
            },
            handler,
            ended: { ended($0 ?? .lost(socket, reason: "the subscription ended")) }
        )
    }
}
