public import Foundation
import Synchronization

// What Apple's framework has no counterpart for. Everything here begins with `ptt`.
extension PTChannelManager {
    private static let chosenQueue = Mutex<DispatchQueue?>(nil)

    /// Linux: the queue that callbacks and completion handlers come on, one at a time. Set it before the manager is made;
    /// the library takes one of its own if this is nil.
    public static var pttCallbackQueue: DispatchQueue? {
        get { chosenQueue.withLock { $0 } }
        set { chosenQueue.withLock { $0 = newValue } }
    }

    /// Linux: whether the application is in front of a person; true until it says otherwise.
    ///
    /// On iOS the system knows. An application that is not in the foreground, or whose person has locked the screen, may
    /// neither join nor begin by itself; `appNotForeground` tells. Presses of buttons are not affected.
    public func pttSetForeground(_ isForeground: Bool) {
        onAttachment { $0.setForeground(isForeground) }
    }
}
