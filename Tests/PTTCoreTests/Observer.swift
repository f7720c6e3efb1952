import PTTCore
import PTTMessages

/// The world outside of a session, as far as the session's orders tell of it. It knows none of the rules by which the
/// session decides, only what must never be seen from outside.
struct Observer {
    private(set) var openCapture: CaptureID?
    private(set) var receiver: ClientID?
    private(set) var timer: MonotonicTime?
    private(set) var status: Status

    init(_ session: TalkSession) {
        status = session.status
    }

    /// Runs one event and gives its effects; nil and a sentence if something is wrong.
    mutating func run(
        _ event: TalkSession.Event,
        at now: MonotonicTime,
        in session: inout TalkSession
    ) -> (effects: [TalkSession.Effect], violation: String?) {
        if event == .timerFired { timer = nil }
        let effects = session.handle(event, at: now)
        var replies: [RequestID] = []
        for effect in effects {
            if let violation = see(effect, replies: &replies) { return (effects, violation) }
        }
        return (effects, check(session, event, replies))
    }

    private mutating func see(_ effect: TalkSession.Effect, replies: inout [RequestID]) -> String? {
        switch effect {
        case .openCapture(let capture, _):
            if openCapture != nil { return "a second capture is opened" }
            openCapture = capture
        case .closeCapture(let capture):
            if openCapture != capture { return "a capture is closed that is not open" }
            if receiver != nil { return "a capture is closed while frames are delivered" }
            openCapture = nil
        case .deliverFrames(let capture, let client):
            if openCapture != capture || status.audio != .active { return "frames are delivered too early" }
            if receiver != nil { return "frames are delivered twice" }
            receiver = client
        case .stopFrames(let capture):
            if openCapture != capture || receiver == nil {
                return "frames are stopped that are not delivered"
            }
            receiver = nil
        case .setTimer(let time):
            timer = time
        case .cancelTimer:
            if timer == nil { return "a timer is cancelled that is not set" }
            timer = nil
        case .reply(let id, _):
            replies.append(id)
        case .publish(let event):
            if event == .audioDeactivated, openCapture != nil { return "audio ends with an open capture" }
            status.apply(event)
        }
        return nil
    }

    private func check(
        _ session: TalkSession,
        _ event: TalkSession.Event,
        _ replies: [RequestID]
    ) -> String? {
        if let violation = session.checkInvariants() { return violation }
        if status != session.status { return "a subscriber would believe \(status), not \(session.status)" }
        let isTransmitting = status.transmission != nil
        if (openCapture != nil) != isTransmitting { return "a capture is open outside a transmission" }
        if (timer != nil) != isTransmitting { return "the timer is not set exactly while transmitting" }
        if (status.audio != .inactive) != isTransmitting {
            return "audio is not on exactly while transmitting"
        }
        if replies != event.request.map({ [$0] }) ?? [] { return "\(event) has the replies \(replies)" }
        return nil
    }
}

extension TalkSession.Event {
    var request: RequestID? {
        switch self {
        case .joinRequested(let id, _, processID: _, _, fresh: _), .leaveRequested(let id, _, _),
            .descriptorRequested(let id, _, _), .beginRequested(let id, _, _), .endRequested(let id, _, _):
            id
        case .clientDisconnected, .timerFired, .captureStarted, .captureFailed, .audioServerReady,
            .audioServerLost, .systemSuspending, .systemResumed, .sessionLocked, .shuttingDown:
            nil
        }
    }
}
