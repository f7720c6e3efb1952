internal import EventLoop
public import PTTMessages

/// The method of `org.pushtotalk.Push`; ``PushInterface/description`` says what it does.
extension ServiceConnection {
    public func push(_ request: PushInterface.SendRequest) async throws(LinkError) -> PushID {
        let reply: PushInterface.SendReply = try await call("\(PushInterface.name).Send", request)
        return reply.pushID
    }
}
