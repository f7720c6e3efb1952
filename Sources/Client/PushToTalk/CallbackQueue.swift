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
}

/// Delivers callbacks and calls completion handlers one at a time, in order. After the manager is gone there
/// are no callbacks; the completion handlers of calls that were pending are called as always.
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

    /// Calls a completion handler, in order with the callbacks. Its caller waits for it, whatever has become
    /// of the manager.
    func complete(_ handler: @escaping @Sendable () -> Void) {
        queue.async(execute: handler)
    }

    /// A descriptor that the restoration delegate returns later is not used.
    private static let descriptorLimit = Duration.seconds(2)

    /// Calls the restoration delegate, in order with the callbacks. A late descriptor is not used: by then
    /// the channel is shown with the application's name.
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
