import Foundation
import PTTMessages
import Synchronization

/// A method of a delegate to call, or a notification to post.
enum Callback: Sendable {
    case joined(UUID, PTChannelJoinReason)
    case left(UUID, PTChannelLeaveReason)
    case began(UUID, PTChannelTransmitRequestSource, PTTButtonRole)
    case ended(UUID, PTChannelTransmitRequestSource)
    case token(PushToken)
    case activated
    case deactivated
    case interruption(began: Bool)
    case pressed(UUID, PTTAccessory)
    case released(UUID, PTTAccessory)
    case routeChanged(input: String?, output: String?)
    case servicesLost
    case servicesReset
    case push(DeliveredPush)
    case failedToActivate(UUID, participant: PTParticipant, error: PTChannelError)
    case failedToJoin(UUID, PTChannelError)
    case failedToLeave(UUID, PTChannelError)
    case failedToBegin(UUID, PTChannelError)
    case failedToStop(UUID, PTChannelError)
    /// Calls a completion handler.
    case perform(@Sendable () -> Void)
}

/// Delivers callbacks one at a time, in order, and none after the manager is gone.
final class CallbackQueue: Sendable {
    private let queue: DispatchQueue

    /// A `Mutex` cannot hold a weak reference directly.
    private struct WeakReference {
        weak var manager: PTChannelManager?
    }

    private let recipient = Mutex(WeakReference())

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    func setRecipient(_ manager: PTChannelManager) {
        recipient.withLock { $0.manager = manager }
    }

    func enqueue(_ callback: Callback) {
        queue.async { [self] in
            guard let manager = recipient.withLock({ $0.manager }) else { return }
            manager.deliver(callback)
        }
    }

    /// A descriptor that the restoration delegate returns later is not used.
    private static let descriptorLimit = Duration.seconds(2)

    /// Calls the restoration delegate, in order with the callbacks. A late descriptor is not used: by then the channel
    /// is shown with the application's name.
    func requestDescriptor(
        _ channelUUID: UUID,
        then: @escaping @Sendable (PTChannelDescriptor) -> Void
    ) {
        queue.async { [self] in
            guard let manager = recipient.withLock({ $0.manager }), let delegate = manager.restorationDelegate
            else { return }
            let asked = ContinuousClock.now
            let descriptor = delegate.channelDescriptor(restoredChannelUUID: channelUUID)
            guard ContinuousClock.now - asked < Self.descriptorLimit else {
                return Diagnostics.note("the restoration delegate took too long: its descriptor is not used")
            }
            then(descriptor)
        }
    }
}
