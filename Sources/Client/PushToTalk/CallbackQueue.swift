import Foundation
import PTTMessages
import Synchronization

/// What the application is to be told, one thing after the other.
enum Callback: Sendable {
    case joined(UUID, PTChannelJoinReason)
    case left(UUID, PTChannelLeaveReason)
    case began(UUID, PTChannelTransmitRequestSource)
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
    case failedToActivate(UUID, PTParticipant, PTChannelError)
    case failedToJoin(UUID, PTChannelError)
    case failedToLeave(UUID, PTChannelError)
    case failedToBegin(UUID, PTChannelError)
    case failedToStop(UUID, PTChannelError)
    /// A completion handler.
    case perform(@Sendable () -> Void)
}

/// Delivers callbacks serially, in order, and none to a manager that is gone.
final class CallbackQueue: Sendable {
    let queue: DispatchQueue

    /// Weak references cannot stand in a `Mutex` by themselves.
    private struct Reader {
        weak var manager: PTChannelManager?
    }

    private let reader = Mutex(Reader())

    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    func open(for manager: PTChannelManager) {
        reader.withLock { $0.manager = manager }
    }

    func enqueue(_ callback: Callback) {
        queue.async { [self] in
            guard let manager = reader.withLock({ $0.manager }) else { return }
            manager.deliver(callback)
        }
    }

    /// How long the restoration delegate may take for its answer to count.
    private static let descriptorLimit = Duration.seconds(2)

    /// Asks the restoration delegate, in its turn among the callbacks. What it answers too late is not used: the channel
    /// is called like the application by then.
    func askForDescriptor(
        _ channelUUID: UUID,
        then: @escaping @Sendable (PTChannelDescriptor) -> Void
    ) {
        queue.async { [self] in
            guard let manager = reader.withLock({ $0.manager }), let delegate = manager.restorationDelegate
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
