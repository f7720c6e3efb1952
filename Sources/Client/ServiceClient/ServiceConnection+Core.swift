import EventLoop
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

    /// Subscribes to the core's events. The first update has the status, each later one an event.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of events to receive, named as in ``CoreEvent/kind``; nil for all.
    ///   - handler: Called in order.
    ///   - ended: Called once: when the core is lost, or has closed the connection because this process read
    ///     too slowly.
    package func subscribe(
        to kinds: [String]? = nil,
        _ handler: @escaping @EventLoop (ChannelInterface.Update) -> Void,
        ended: @escaping @EventLoop (ServiceError) -> Void
    ) {
        let request = ChannelInterface.SubscribeRequest(kinds: kinds)
        let socket = socket
        subscribe(ChannelInterface.subscribe, request, handler) {
            ended($0 ?? .lost(socket, reason: "the subscription ended"))
        }
    }
}
