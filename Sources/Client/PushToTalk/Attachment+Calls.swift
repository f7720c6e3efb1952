import EventLoop
import PTTMessages

extension Attachment {
    func join(
        _ channelID: ChannelID,
        _ request: ChannelInterface.JoinRequest,
        failed: @escaping @EventLoop (Refusal) -> Callback
    ) {
        call(ChannelInterface.join, request) { [callbackQueue] reply in
            if let token = reply.pushToken { callbackQueue.enqueue(.token(token)) }
        } completion: { [self] refusal in
            if let refusal {
                callbackQueue.enqueue(failed(refusal))
            } else {
                view.granted(channelID)
            }
        }
    }

    /// Calls `body` after the delay, unless this is called again before.
    func scheduleStop(after delay: Duration, _ body: @escaping @EventLoop () -> Void) {
        let timer = TimerSource(handler: body)
        timer.arm(after: delay)
        scheduledStop = timer
    }

    /// Enqueues the callback for a refusal, if there is one.
    func report(_ refusal: Refusal?, as callback: (PTChannelError) -> Callback) {
        guard let refusal else { return }
        callbackQueue.enqueue(callback(PTChannelError(refusal)))
    }
}
