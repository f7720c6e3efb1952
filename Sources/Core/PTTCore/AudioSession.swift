import PTTMessages

struct Capture: Equatable, Sendable {
    let captureID: CaptureID
    let format: AudioFormat
}

/// The audio session of the channel.
enum AudioSession: Equatable, Sendable {
    case inactive
    /// The capture stream is being opened; nothing was heard yet.
    case activating(Capture)
    /// Frames go to `receiver`, if there is one.
    case active(Capture, receiver: ClientID?)

    var state: AudioState {
        switch self {
        case .inactive: .inactive
        case .activating: .activating
        case .active: .active
        }
    }

    var capture: Capture? {
        switch self {
        case .inactive: nil
        case .activating(let capture), .active(let capture, receiver: _): capture
        }
    }

    mutating func activate(_ capture: Capture, _ turn: inout Turn) {
        self = .activating(capture)
        turn.opening = .openCapture(capture.captureID, capture.format)
        turn.publish(.audioActivating)
    }

    /// The first buffer of a capture stream has arrived.
    mutating func captureStarted(_ captureID: CaptureID, _ turn: inout Turn) {
        switch self {
        case .activating(let capture):
            guard capture.captureID == captureID else { return }
            self = .active(capture, receiver: nil)
            turn.publish(.audioActivated)
        case .inactive, .active:
            break
        }
    }

    /// Frames go to the application from now on.
    ///
    /// One that comes in the middle gets frames at once if they have the format that it asked for, and
    /// otherwise from the next transmission on.
    mutating func deliver(to receiver: ClientID?, in format: AudioFormat, _ turn: inout Turn) {
        switch self {
        case .active(let capture, receiver: nil):
            guard let receiver, capture.format == format else { return }
            self = .active(capture, receiver: receiver)
            turn.frames = .deliverFrames(capture.captureID, to: receiver)
        case .inactive, .activating, .active:
            break
        }
    }

    mutating func deactivate(_ turn: inout Turn) {
        switch self {
        case .inactive:
            return
        case .activating(let capture):
            turn.closing.append(.closeCapture(capture.captureID))
        case .active(let capture, let receiver):
            if receiver != nil { turn.closing.append(.stopFrames(capture.captureID)) }
            turn.closing.append(.closeCapture(capture.captureID))
        }
        self = .inactive
        turn.publish(.audioDeactivated)
    }
}
