import PTTMessages

/// The right to transmit, while a transmission lasts: it belongs to one connection and one origin, and is limited in time.
struct Lease: Equatable, Sendable {
    let transmission: Transmission
    let holder: ClientID
    /// When to warn of the limit; nil once that is done.
    var warning: MonotonicTime?
    let limit: MonotonicTime

    /// Each transmission has one capture stream, which has its number.
    var captureID: CaptureID { CaptureID(rawValue: transmission.transmissionID.rawValue) }

    var deadline: MonotonicTime { warning ?? limit }
}
