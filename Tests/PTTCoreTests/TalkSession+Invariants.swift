import PTTMessages

@testable import PTTCore

extension TalkSession {
    /// Checks what must hold after every event.
    ///
    /// - Returns: A sentence about the first violation, or nil.
    func checkInvariants() -> String? {
        audioViolation ?? transmissionViolation ?? channel.flatMap(applicationViolation)
    }

    private var audioViolation: String? {
        if let lease, (lease.capture == nil) != (channel?.starting != nil && !lease.isRecording) {
            return "a transmission has no capture, or does not wait for the application with it"
        }
        if (audio.speaker != nil) != isPlaying { return "the speaker is not open exactly during a reception" }
        if audio.speaker == nil, channel?.reception?.awaitedBy.isEmpty == false {
            return "a request waits for a speaker that does not open"
        }
        if isPlaying, surroundings.call != nil { return "a reception is played during a call" }
        if isPlaying, let obstacle = receptionObstacle() {
            return "a reception is played, although \(obstacle.refusal.reason)"
        }
        return nil
    }

    private var transmissionViolation: String? {
        guard let lease else { return nil }
        let role = lease.transmission.role
        if let obstacle = obstacle(to: lease) {
            return "transmitting, although \(obstacle.refusal.reason)"
        }
        if !role.transmits, !lease.isRecording { return "transmitting with a button that does not" }
        // The time that it began is in whole microseconds.
        let began = MonotonicTime(nanoseconds: Int64(lease.transmission.began) * 1000)
        if lease.limit - began > timeLimit + .microseconds(1) {
            return "the limit of a transmission is longer than the time limit"
        }
        if let released = lease.released, released.due > lease.limit {
            return "a release lags beyond the time limit"
        }
        return nil
    }

    private func applicationViolation(_ channel: JoinedChannel) -> String? {
        if channel.running == nil, let owner = channel.owner?.identifier, attachments.newest(of: owner) != nil
        {
            return "absent or starting while it is attached"
        }
        if let running = channel.running, !running.pushes.isEmpty, attachments[running.client] == nil {
            return "pushes wait for a client that is not attached"
        }
        if channel.pushes.count > WaitingPush.limit { return "more pushes wait than the limit" }
        if surroundings.policy.restriction(of: channel.policyID) != nil {
            return "a channel that the policy forbids"
        }
        return nil
    }
}
