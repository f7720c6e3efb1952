public import EventLoop
internal import Synchronization

/// A file descriptor in a message. Closed with the last reference unless it was taken.
///
/// A descriptor that is sent is duplicated by libdbus and stays ours; a received one is a close-on-exec
/// duplicate that belongs to this object.
public final class BusDescriptor: Sendable, Hashable {
    private let held: Mutex<OwnedDescriptor?>

    public init(_ descriptor: consuming OwnedDescriptor) {
        held = Mutex(descriptor)
    }

    /// Hands the descriptor over. The second taker gets nil.
    public func take() -> OwnedDescriptor? {
        held.withLock { held in
            let taken = held.take()
            return taken
        }
    }

    /// Runs `body` with the descriptor's number, or returns nil if it was taken.
    func withNumber<Result>(_ body: (Int32) -> Result) -> Result? {
        held.withLock { held in
            guard let number = held?.value else { return nil }
            return body(number)
        }
    }

    public static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
