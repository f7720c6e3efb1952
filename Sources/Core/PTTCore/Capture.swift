import PTTMessages

/// The stream from the microphone of a transmission.
struct Capture: Equatable, Sendable {
    /// Keeps the talk permit tone out of what is delivered.
    enum Gate: Equatable, Sendable {
        /// The first buffer has not arrived.
        case closed
        /// The tone is played, and may be captured until the shell reports that it is not, or until this
        /// time.
        case opening(until: MonotonicTime)
        /// Frames are delivered once there is a sink.
        case open
        case delivering
    }

    /// The longest time for which the tone may keep the gate closed: a tone is much shorter, and what is said
    /// must not be lost to a shell that does not report its end.
    static let gateLimit = Duration.seconds(2)

    let captureID: CaptureID
    let format: AudioFormat
    var gate = Gate.closed

    /// True if the first buffer has arrived.
    var isLive: Bool { gate != .closed }

    var isOpen: Bool { gate == .open || gate == .delivering }

    var gateLimit: MonotonicTime? {
        if case .opening(let limit) = gate { limit } else { nil }
    }

    /// The talk permit tone is over.
    mutating func openGate() {
        if case .opening = gate { gate = .open }
    }
}
