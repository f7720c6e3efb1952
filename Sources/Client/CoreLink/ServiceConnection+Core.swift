internal import EventLoop
internal import JSON
public import PTTMessages

/// The methods of `org.pushtotalk.Channel`; ``CoreInterface/description`` says what each does.
extension ServiceConnection {
    func core(_ method: String) -> String { "\(CoreInterface.name).\(method)" }

    public func status() async throws(LinkError) -> Status {
        let reply: CoreInterface.StatusReply = try await call(core("GetStatus"), NoParameters())
        return reply.status
    }

    public func join(_ request: CoreInterface.JoinRequest) async throws(LinkError) -> CoreInterface.JoinReply
    {
        try await call(core("Join"), request)
    }

    public func leave(_ channelID: ChannelID?) async throws(LinkError) {
        let _: NoParameters = try await call(core("Leave"), CoreInterface.LeaveRequest(channelID: channelID))
    }

    /// Sends the request in this turn of the loop.
    public func join(
        _ request: CoreInterface.JoinRequest,
        then: @escaping @EventLoop (Result<CoreInterface.JoinReply, LinkError>) -> Void
    ) {
        call(core("Join"), request, CoreInterface.JoinReply.self, then: then)
    }

    /// Sends the request in this turn of the loop.
    public func leave(
        _ channelID: ChannelID?,
        then: @escaping @EventLoop (Result<Void, LinkError>) -> Void
    ) {
        send(core("Leave"), CoreInterface.LeaveRequest(channelID: channelID), then)
    }

    /// Sends the request in this turn of the loop.
    public func setDescriptor(
        _ request: CoreInterface.DescriptorRequest,
        then: @escaping @EventLoop (Result<Void, LinkError>) -> Void
    ) {
        send(core("SetDescriptor"), request, then)
    }

    public func begin(_ request: CoreInterface.BeginRequest) async throws(LinkError)
        -> CoreInterface.BeginReply
    {
        try await call(core("BeginTransmitting"), request)
    }

    public func end(_ request: CoreInterface.EndRequest) async throws(LinkError) {
        let _: NoParameters = try await call(core("EndTransmitting"), request)
    }

    /// Follows the core: the first update has the status, each that follows an event.
    ///
    /// - Parameters:
    ///   - kinds: Events of other kinds than these are left out; nil: none is. Words as in ``CoreEvent/kind``.
    ///   - handler: Called in order.
    ///   - ended: Told once, when the connection is lost or this subscriber fell behind.
    public func subscribe(
        to kinds: Set<String>? = nil,
        _ handler: @escaping @EventLoop (CoreInterface.Update) -> Void,
        ended: @escaping @EventLoop (LinkError) -> Void
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
