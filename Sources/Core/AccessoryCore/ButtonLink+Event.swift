package import PTTMessages

extension ButtonLink {
    /// Something that has happened to one Bluetooth button.
    package enum Event: Equatable, Sendable {
        /// A new link is up. If one was up before, it counts as lost.
        case connected
        /// - Parameter hasCharacteristic: Whether the one that the profile listens to is there. May come again, when
        ///   it appears later.
        case servicesResolved(hasCharacteristic: Bool)
        /// ``Effect/subscribe`` succeeded.
        case notificationsEnabled
        /// ``Effect/subscribe`` failed or took too long.
        case notificationsFailed(reason: String)
        /// Notifications were on and have been turned off.
        case notificationsStopped
        /// One for each notification, also if the value is the same as before.
        case valueNotified([UInt8])
        /// The services or the characteristic are gone, or are being looked up anew.
        case servicesGone
        /// The link is down. The cause is what a transmission ends with: ``EndCause/linkLost`` unless better known.
        case disconnected(EndCause)
        /// The adapter was switched off or unplugged, or `bluetoothd` or the bus has gone.
        case bluetoothLost
        case renamed(String)
        case timerFired
    }

    /// An order to the shell. Those of one event come with what concerns the microphone first.
    package enum Effect: Equatable, Sendable {
        /// Ask the core to begin a transmission for the origin.
        case begin
        /// Tell the core that the origin was let go, or lost.
        case end(EndCause)
        /// Tell the core that the origin was let go, though it had not begun on this link: it may have waited for that
        /// since a time limit.
        case letGo
        /// Turn notifications on, whether they are on already or not. Answer with
        /// ``Event/notificationsEnabled`` or, after at most 10 s, ``Event/notificationsFailed(reason:)``.
        case subscribe
        /// There is one timer; a new time replaces the one before.
        case setTimer(MonotonicTime)
        case cancelTimer
        /// Pressed, released, ignored, or the device changed.
        case publish(AccessoryEvent)
    }
}
