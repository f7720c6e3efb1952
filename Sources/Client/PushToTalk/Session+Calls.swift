import EventLoop
import PTTMessages
import ServiceClient

extension Session {
    typealias Sending =
        @EventLoop (ServiceConnection, @escaping @EventLoop (Result<Void, ServiceError>) -> Void) -> Void

    func join(
        _ channelID: ChannelID,
        _ request: ChannelInterface.JoinRequest,
        failed: @escaping @EventLoop (Refusal) -> Callback
    ) {
        call { [outbox] connection, then in
            connection.join(request) { result in
                if case .success(let reply) = result, let token = reply.pushToken {
                    outbox.deliver(.token(token))
                }
                then(result.map { _ in })
            }
        } completion: { [self] refusal in
            if let refusal {
                outbox.deliver(failed(refusal))
            } else {
                view.granted(channelID)
            }
        }
    }

    /// Calls `body` unless this is called again before that.
    func stopLater(after delay: Duration, _ body: @escaping @EventLoop () -> Void) {
        let timer = TimerSource(handler: body)
        timer.arm(after: delay)
        laterStop = timer
    }

    /// Tells of a refusal, if there is one.
    func tell(_ refusal: Refusal?, _ callback: (PTChannelError) -> Callback) {
        guard let refusal else { return }
        outbox.deliver(callback(PTChannelError(refusal)))
    }
}
