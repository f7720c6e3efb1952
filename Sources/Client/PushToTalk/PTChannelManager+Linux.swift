public import Foundation
import Synchronization

// Members without a counterpart in Apple's framework. All of them begin with `ptt`.
extension PTChannelManager {
    private static let chosenQueue = Mutex<DispatchQueue?>(nil)

    /// Linux: the queue on which delegate methods and completion handlers are called, one at a time. Set it before the
    /// manager is created. If it is nil, the library uses a queue of its own.
    public static var pttCallbackQueue: DispatchQueue? {
        get { chosenQueue.withLock { $0 } }
        set { chosenQueue.withLock { $0 = newValue } }
    }

    /// Linux: sets whether the application is in the foreground. On iOS the system knows.
    ///
    /// An application in the background, and any application while the screen is locked, can neither join a channel nor
    /// begin a transmission by itself: these fail with ``PTChannelError/appNotForeground``. Presses of buttons are not
    /// affected.
    ///
    /// - Parameter isForeground: True until it is set, unless `pttd` has started the application.
    public func pttSetForeground(_ isForeground: Bool) {
        onAttachment { $0.setForeground(isForeground) }
    }
}
