package import PTTMessages

extension ButtonLink {
    /// An event of one Bluetooth button.
    package enum Event: AccessoryMachineEvent, Equatable, Sendable {
        /// A new link is up. If one was up before, it counts as lost.
        case connected
        /// - Parameter hasCharacteristic: Whether the device has the profile's characteristic. The event is repeated if
        ///   the characteristic appears later.
        case servicesResolved(hasCharacteristic: Bool)
        /// ``Effect/subscribe`` succeeded.
        case notificationsEnabled
        /// ``Effect/subscribe`` failed or took too long.
        case notificationsFailed(reason: String)
        /// Notifications were on and have been turned off.
        case notificationsStopped
        /// One for each notification, even if the value has not changed.
        case valueNotified([UInt8])
        /// The services or the characteristic were removed, or are being discovered again.
        case servicesGone
        /// The link is down. The cause becomes that of a transmission's end: ``EndCause/linkLost`` unless a more specific
        /// one is known.
        case disconnected(EndCause)
        /// The adapter was powered off or unplugged, or `bluetoothd` or the bus has stopped.
        case bluetoothLost
        case renamed(String)
        case timerFired
    }

    /// An order to the shell. Among the effects of one event, those that concern the microphone come first.
    package enum Effect: AccessoryMachineEffect, Equatable, Sendable {
        /// Request a transmission for the origin from the core.
        case begin
        /// Notify the core that the origin was released, or lost.
        case end(EndCause)
        /// Notify the core that the origin was released, although this link has no press of it: since a time limit the
        /// core may be waiting for the release.
        case letGo
        /// Turn notifications on, whether or not they are on already. Answer with ``Event/notificationsEnabled`` or,
        /// after at most 10 s, ``Event/notificationsFailed(reason:)``.
        case subscribe
        /// There is one timer; a new time replaces the previous one.
        case setTimer(MonotonicTime)
        case cancelTimer
        /// Publish that it was pressed, released or ignored, or that the device has changed.
        case publish(AccessoryEvent)
    }
}
