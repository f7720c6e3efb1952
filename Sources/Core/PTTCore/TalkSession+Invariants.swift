import PTTMessages

extension TalkSession {
    /// Checks what must hold after every event.
    ///
    /// - Returns: A sentence about the first violation, or nil.
    package func checkInvariants() -> String? {
        if timer != openChannel.deadline { return "the timer is not set to the next deadline" }
        if savedVolume != volume { return "the disk does not have the volume" }
        if saved != channel?.saved { return "the disk does not have the channel" }
        if let violation = lastResortViolation { return violation }
        guard let channel else { return audioViolation(lastResort) ?? transmissionViolation(lastResort) }
        return audioViolation(channel) ?? transmissionViolation(channel) ?? applicationViolation(channel)
    }

    private var lastResortViolation: String? {
        switch state {
        case .joined:
            if lastResort != .lastResort { return "the channel of last resort is used while one is joined" }
        case .notJoined:
            if lastResort.lease == nil { return nil }
            guard case .recorded = virtualMicrophone else {
                return "transmitting, and no application records"
            }
            if policy.restriction(of: Policy.virtualMicrophone) != nil {
                return "transmitting into a virtual microphone that the policy forbids"
            }
        }
        return nil
    }

    private func audioViolation(_ channel: JoinedChannel) -> String? {
        let audio = channel.audio
        let lease = channel.starting == nil ? channel.lease : nil
        if audio.microphone?.capture.captureID != lease?.captureID {
            return "a capture is open without its transmission, or a transmission has none"
        }
        let isPlaying = channel.isPlaying
        if (audio.speaker != nil) != isPlaying { return "the speaker is not open exactly during a reception" }
        if audio.speaker == nil, channel.reception?.awaitedBy.isEmpty == false {
            return "a request waits for a speaker that does not open"
        }
        if isPlaying, !isAudioServerReady || power != .awake || !isSessionActive || call != nil {
            return "a reception goes on that cannot be played"
        }
        return nil
    }

    private func transmissionViolation(_ channel: JoinedChannel) -> String? {
        guard let lease = channel.lease else { return nil }
        if !isAudioServerReady { return "transmitting without an audio server" }
        if power != .awake { return "transmitting while \(power)" }
        if !isSessionActive { return "transmitting while another session is active" }
        if callRefusal(of: lease.transmission.role) != nil { return "transmitting during a call" }
        if !lease.transmission.role.transmits { return "transmitting with a button that does not" }
        if !channel.allowsTransmission(of: lease.transmission.role) {
            return "transmitting in the mode \(channel.transmissionMode)"
        }
        if case .absent = channel.presence { return "transmitting for an application that is absent" }
        // The time that it began is in whole microseconds.
        let began = MonotonicTime(nanoseconds: Int64(lease.transmission.began) * 1000)
        if lease.limit - began > timeLimit + .microseconds(1) {
            return "the limit of a transmission is longer than the time limit"
        }
        return nil
    }

    private func applicationViolation(_ channel: JoinedChannel) -> String? {
        switch channel.presence {
        case .unowned: break
        case .absent(let absent):
            if attachments.isAttached(absent.owner.identifier) { return "absent while it is attached" }
        case .starting(let starting):
            if attachments.isAttached(starting.owner.identifier) { return "starting while it is attached" }
        case .running(let running):
            if !running.pushes.isEmpty, attachments[running.client] == nil {
                return "pushes wait for a client that is not attached"
            }
        }
        if channel.pushCount > WaitingPush.limit { return "more pushes wait than the limit" }
        if policy.restriction(of: channel.policyID) != nil { return "a channel that the policy forbids" }
        return nil
    }
}
