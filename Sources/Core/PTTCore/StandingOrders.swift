import PTTMessages

/// The orders to the shell that hold until the next of their kind, as the state of the machine demands them.
/// They are given when an event has changed them.
struct StandingOrders: Equatable, Sendable {
    /// The time that the timer is set to.
    var timer: MonotonicTime?
    var volume = Status.defaultVolume
    /// The name and the image of the channel that are on disk.
    var descriptor: Descriptor?
    /// The channel that is on disk.
    var channel: SavedChannel?
    /// The transmission of which ``Tone/latched`` has said that it is latched.
    var latched: TransmissionID?
}
