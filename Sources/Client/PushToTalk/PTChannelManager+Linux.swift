public import Foundation
import PTTMessages
import Synchronization

// Members without a counterpart in Apple's framework. All of them begin with `ptt`.
extension PTChannelManager {
    private static let chosenQueue = Mutex<DispatchQueue?>(nil)

    /// Linux: the queue on which delegate methods and completion handlers are called, one at a time. Set it
    /// before the manager is created. If it is nil, the library uses a queue of its own.
    public static var pttCallbackQueue: DispatchQueue? {
        get { chosenQueue.withLock { $0 } }
        set { chosenQueue.withLock { $0 = newValue } }
    }

    /// Linux: sets whether the application is in the foreground. On iOS the system knows.
    ///
    /// An application in the background, and any application while the screen is locked, can neither join a
    /// channel nor begin a transmission by itself: these fail with ``PTChannelError/appNotForeground``.
    /// Presses of buttons are not affected.
    ///
    /// - Parameter isForeground: True until it is set, unless `pttd` has started the application.
    public func pttSetForeground(_ isForeground: Bool) {
        onAttachment { $0.setForeground(isForeground) }
    }

    /// Linux: the button that began the transmission, from the call of `didBeginTransmittingFrom` until that
    /// of `didEndTransmittingFrom` has returned; otherwise nil. It is ``PTTButtonRole/talk`` also where there
    /// is no button.
    ///
    /// An application sends an emergency as its network's emergency call, and a second talk button to its
    /// second conversation. If an emergency takes the place of a transmission, the delegate is notified of
    /// the end of that transmission and of the audio session before it is notified of the emergency.
    public var pttTransmissionRole: PTTButtonRole? { state.withLock { $0.transmissionRole } }

    /// Linux: requests a transmission as `requestBeginTransmitting` does, for a button that the application
    /// handles itself.
    ///
    /// - Parameters:
    ///   - channelUUID: The joined channel.
    ///   - role: The button. An emergency is not refused because a participant talks in half duplex: that
    ///     participant is not played until the emergency ends. Buttons that do not transmit are refused.
    public func pttRequestBeginTransmitting(channelUUID: UUID, role: PTTButtonRole) {
        begin(channelUUID, role.requested)
    }

    /// Linux: ends the transmission because the network has granted the floor to somebody else. The person
    /// hears the busy tone, as with a press while a participant talks.
    ///
    /// The delegate's `didEndTransmittingFrom` or `failedToStopTransmittingInChannel` reports the result.
    public func pttYieldFloor(channelUUID: UUID) {
        stop(channelUUID, .floorTaken)
    }
}
