import EventLoop
import PTTMessages

extension Attachment {
    func join(_ channelID: ChannelID, _ request: ChannelInterface.JoinRequest) {
        call(ChannelInterface.join, request) { [callbackQueue] reply in
            if let token = reply.pushToken { callbackQueue.enqueue(.token(token)) }
        } completion: { [self] refusal in
            report(refusal) { .failedToJoin(channelID.uuid, $0) }
            if refusal == nil { view.granted(channelID) }
        }
    }

    /// Enqueues the callback for a refusal, if there is one.
    func report(_ refusal: Refusal?, as callback: (PTChannelError) -> Callback) {
        guard let refusal else { return }
        callbackQueue.enqueue(callback(PTChannelError(refusal)))
    }
}
