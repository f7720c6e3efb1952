import EventLoop
import PTTMessages
import ServiceClient

extension Attachment {
    typealias RequestSender =
        @EventLoop (ServiceConnection, @escaping @EventLoop (Result<Void, ServiceError>) -> Void) -> Void

    func join(
        _ channelID: ChannelID,
        _ request: ChannelInterface.JoinRequest,
        failed: @escaping @EventLoop (Refusal) -> Callback
    ) {
        call { [callbackQueue] connection, then in
            connection.join(request) { result in
                if case .success(let reply) = result, let token = reply.pushToken {
                    callbackQueue.enqueue(.token(token))
                }
                then(result.map { _ in })
            }
        } completion: { [self] refusal in
            if let refusal {
                callbackQueue.enqueue(failed(refusal))
            } else {
                view.granted(channelID)
            }
        }
    }

    /// Calls `body` unless this is called again before that.
    func scheduleStop(after delay: Duration, _ body: @escaping @EventLoop () -> Void) {
        let timer = TimerSource(handler: body)
        timer.arm(after: delay)
        scheduledStop = timer
    }

    /// Tells of a refusal, if there is one.
    func report(_ refusal: Refusal?, as callback: (PTChannelError) -> Callback) {
        guard let refusal else { return }
        callbackQueue.enqueue(callback(PTChannelError(refusal)))
    }
}
