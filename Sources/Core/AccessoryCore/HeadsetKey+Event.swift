package import PTTMessages

extension HeadsetKey {
    /// Something that has happened to one headset, or to the transmission that it asked for. Key codes are the kernel's
    /// (`input-event-codes.h`); automatic repeat is not passed on.
    package enum Event: Equatable, Sendable {
        case keyPressed(UInt16)
        case keyReleased(UInt16)
        /// The kernel dropped events, and this is how the key is now.
        case keyResynchronised(UInt16, isPressed: Bool)
        /// The core accepted ``Effect/begin``.
        case began(TransmissionID)
        /// The core refused ``Effect/begin``, or could not be asked.
        case refused(RefusalCode)
        /// A transmission ended; one that is not this key's is ignored.
        case transmissionEnded(TransmissionID, EndCause)
        /// The connection to the core closed, and with it any transmission.
        case coreLost
        case deviceRemoved
        case timerFired
    }

    /// An order to the shell. Those of one event come with what concerns the microphone first.
    package enum Effect: Equatable, Sendable {
        /// Ask the core to begin a transmission for the origin. Answer with ``Event/began(_:)`` or
        /// ``Event/refused(_:)``.
        case begin
        /// Tell the core that the origin was let go, or lost.
        case end(EndCause)
        /// There is one timer; a new time replaces the one before.
        case setTimer(MonotonicTime)
        case cancelTimer
        /// Pressed, released, ignored, or the device changed.
        case publish(AccessoryEvent)
    }
}
