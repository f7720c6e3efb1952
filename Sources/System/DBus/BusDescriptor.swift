package import EventLoop
import Synchronization

/// A file descriptor in a message. Closed with the last reference unless it was taken.
///
/// libdbus duplicates a descriptor that is sent, so that this object keeps its own; a received one is a
/// close-on-exec duplicate that this object owns.
package final class BusDescriptor: Sendable, Hashable {
    private let held: Mutex<OwnedDescriptor?>

    package init(_ descriptor: consuming OwnedDescriptor) {
        held = Mutex(descriptor)
    }

    /// Removes and returns the descriptor. A second call returns nil.
    package func take() -> OwnedDescriptor? {
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

    package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
