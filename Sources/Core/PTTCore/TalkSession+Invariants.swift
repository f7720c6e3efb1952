import PTTMessages

extension TalkSession {
    /// What must hold after every event.
    ///
    /// - Returns: A sentence about the first thing that does not, or nil.
    package func checkInvariants() -> String? {
        if timer != channel?.deadline { return "the timer is not set to what is due next" }
        if saved != channel?.saved { return "the disk does not have the channel" }
        guard let channel else { return nil }
        return audioViolation(channel) ?? transmissionViolation(channel) ?? applicationViolation(channel)
    }

    private func audioViolation(_ channel: JoinedChannel) -> String? {
        let audio = channel.audio
        let lease = channel.start == nil ? channel.lease : nil
        if audio.microphone?.capture.captureID != lease?.captureID {
            return "a capture is open outside its transmission, or none within"
        }
        let isHeard = channel.hearing.map { $0.interruption == nil } ?? false
        if (audio.speaker != nil) != isHeard { return "the speaker is not open exactly for a participant" }
        if isHeard, !isAudioServerReady || machine != .awake { return "somebody is heard who cannot be" }
        return nil
    }

    private func transmissionViolation(_ channel: JoinedChannel) -> String? {
        guard let lease = channel.lease else { return nil }
        if !isAudioServerReady { return "transmitting without an audio server" }
        if machine != .awake { return "transmitting while \(machine)" }
        if !isSessionActive { return "transmitting while somebody else sits there" }
        if !channel.allowsTransmission { return "transmitting in the mode \(channel.transmissionMode)" }
        if case .absent = channel.presence { return "transmitting for an application that is not there" }
        if lease.limit.microseconds - lease.transmission.began > 20 * 60 * 1_000_000 {
            return "the time limit is longer than it may be"
        }
        return nil
    }

    private func applicationViolation(_ channel: JoinedChannel) -> String? {
        switch channel.presence {
        case .unowned: break
        case .absent(let absence):
            if attachments.isAttached(absence.owner.identifier) { return "absent while it is attached" }
        case .starting(let start):
            if attachments.isAttached(start.owner.identifier) { return "started while it is attached" }
        case .running(let running):
            if !running.pushes.isEmpty, attachments[running.client] == nil { return "pushes go to nobody" }
        }
        if channel.pushCount > WaitingPush.limit { return "more pushes wait than may" }
        if policy.restriction(of: channel.policyID) != nil { return "a channel that the policy forbids" }
        return nil
    }
}
