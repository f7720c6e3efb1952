import EventLoop
import JSON
package import PTTMessages

/// The methods of `org.pushtotalk.Channel`; ``ChannelInterface/description`` says what each does.
extension ServiceConnection {
    func core(_ method: String) -> String { "\(ChannelInterface.name).\(method)" }

    package func status() async throws(ServiceError) -> Status {
        let reply: ChannelInterface.StatusReply = try await call(core("GetStatus"), NoParameters())
        return reply.status
    }

    package func join(_ request: ChannelInterface.JoinRequest) async throws(ServiceError)
        -> ChannelInterface.JoinReply
    {
        try await call(core("Join"), request)
    }

    package func leave(_ channelID: ChannelID?) async throws(ServiceError) {
        let _: NoParameters = try await call(
            core("Leave"),
            ChannelInterface.LeaveRequest(channelID: channelID)
        )
    }

    /// Sends the request in this turn of the loop.
    package func join(
        _ request: ChannelInterface.JoinRequest,
        then: @escaping @EventLoop (Result<ChannelInterface.JoinReply, ServiceError>) -> Void
    ) {
        call(core("Join"), request, ChannelInterface.JoinReply.self, then: then)
    }

    /// Sends the request in this turn of the loop.
    package func leave(
        _ channelID: ChannelID?,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(core("Leave"), ChannelInterface.LeaveRequest(channelID: channelID), then)
    }

    /// Sends the request in this turn of the loop.
    package func setDescriptor(
        _ request: ChannelInterface.DescriptorRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(core("SetDescriptor"), request, then)
    }

    package func begin(_ request: ChannelInterface.BeginRequest) async throws(ServiceError)
        -> ChannelInterface.BeginReply
    {
        try await call(core("BeginTransmitting"), request)
    }

    package func end(_ request: ChannelInterface.EndRequest) async throws(ServiceError) {
        let _: NoParameters = try await call(core("EndTransmitting"), request)
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
            core("Subscribe"),
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
