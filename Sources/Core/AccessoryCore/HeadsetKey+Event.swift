package import PTTMessages

extension HeadsetKey {
    /// An event of one headset, or of the transmission that it requested. Key codes are the kernel's
    /// (`input-event-codes.h`); autorepeat is not passed on.
    package enum Event: AccessoryMachineEvent, Equatable, Sendable {
        case keyPressed(UInt16)
        case keyReleased(UInt16)
        /// The kernel dropped events, and this is the present state of the key.
        case keyResynchronised(UInt16, isPressed: Bool)
        /// The core accepted ``Effect/begin``.
        case began(TransmissionID)
        /// The core refused ``Effect/begin``, or is not connected.
        case refused(RefusalCode)
        /// A transmission ended; those of other origins are ignored.
        case transmissionEnded(TransmissionID, EndCause)
        /// The connection to the core closed, and with it any transmission.
        case coreLost
        case deviceRemoved
        case timerFired
    }

    /// An order to the shell. Among the effects of one event, those that concern the microphone come first.
    package enum Effect: AccessoryMachineEffect, Equatable, Sendable {
        /// Request a transmission for the origin from the core. Answer with ``Event/began(_:)`` or
        /// ``Event/refused(_:)``.
        case begin
        /// Notify the core that the origin was released, or lost.
        case end(EndCause)
        /// There is one timer; a new time replaces the previous one.
        case setTimer(MonotonicTime)
        case cancelTimer
        /// Publish that it was pressed, released or ignored, or that the device has changed.
        case publish(AccessoryEvent)
    }
}
