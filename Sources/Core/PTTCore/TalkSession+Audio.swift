import PTTMessages

extension TalkSession {
    /// Brings the audio session in line with the transmission and the reception. It runs after each transition, and is
    /// the only place that opens streams.
    mutating func updateAudio(effects: inout EffectCollector) {
        let channel = openChannel
        let isPlaying = channel.isPlaying
        if isPlaying, channel.audio.speaker == nil { playbackCount += 1 }
        let playbackID = channel.audio.speaker?.playbackID ?? PlaybackID(rawValue: playbackCount)
        let lastSink: FrameSink? = if case .notJoined = state { .virtualMicrophone } else { nil }
        updateChannel { channel in
            channel.audio.update(
                capture: channel.starting == nil ? channel.lease.map(channel.capture) : nil,
                playback: isPlaying ? channel.playback(playbackID) : nil,
                interruption: channel.reception?.interruption,
                effects: &effects
            )
            let sink = channel.receiver.map { FrameSink.application($0) } ?? lastSink
            channel.audio.deliver(to: sink, in: channel.format, effects: &effects)
        }
    }

    /// Closes all streams during a transition, where the end of the audio session is published before its cause.
    mutating func endAudio(effects: inout EffectCollector) {
        updateChannel { $0.audio.end(interruption: $0.reception?.interruption, effects: &effects) }
    }

    mutating func captureStarted(_ captureID: CaptureID, effects: inout EffectCollector) {
        guard openChannel.audio.microphone?.capture.captureID == captureID else { return }
        // Before the talk permit: nobody would hear what is said after it.
        if let microphone, microphone.isDeaf { return endTransmission(.microphoneMuted, effects: &effects) }
        updateChannel { channel in
            // In full duplex both ends talk at will, and what the speaker plays is captured.
            let isAnnounced = channel.transmissionMode != .fullDuplex
            channel.audio.captureStarted(captureID, isAnnounced: isAnnounced, effects: &effects)
        }
    }

    /// What the microphone captures no longer has the talk permit tone in it.
    mutating func gateOpened(_ captureID: CaptureID) {
        updateChannel { $0.audio.gateOpened(captureID) }
    }

    mutating func microphoneChanged(_ microphone: MicrophoneState, effects: inout EffectCollector) {
        guard microphone != self.microphone else { return }
        self.microphone = microphone
        effects.publish(.microphoneChanged(microphone))
        guard microphone.isDeaf, let lease = openChannel.lease,
            openChannel.audio.isLive(lease.captureID)
        else { return }
        endTransmission(.microphoneMuted, effects: &effects)
    }

    mutating func setVolume(_ request: ChannelInterface.VolumeRequest, effects: inout EffectCollector)
        -> Answer
    {
        guard Self.volumes.contains(request.volume) else { return .refused(.volumeOutOfRange) }
        guard request.volume != volume else { return .done }
        volume = request.volume
        effects.setVolume(volume)
        effects.publish(.volumeChanged(volume))
        return .done
    }

    mutating func volumeRestored(_ saved: Int, effects: inout EffectCollector) {
        guard Self.volumes.contains(saved) else { return }
        savedVolume = saved
        guard saved != volume else { return }
        volume = saved
        effects.setVolume(saved)
        effects.publish(.volumeChanged(saved))
    }

    mutating func reportBattery(_ report: ChannelInterface.BatteryReport, effects: inout EffectCollector)
        -> Answer
    {
        play(.batteryLow, effects: &effects)
        return .done
    }

    mutating func captureFailed(_ captureID: CaptureID, _ cause: EndCause, effects: inout EffectCollector) {
        guard openChannel.audio.microphone?.capture.captureID == captureID else { return }
        endTransmission(cause, effects: &effects)
    }

    mutating func audioConnectionLost(_ client: ClientID) {
        // Also of an application that has no channel yet, or waits for it.
        if channel?.receiver == client || attachments[client] != nil { clientsWithoutAudio.insert(client) }
    }

    mutating func audioServerReady(effects: inout EffectCollector) {
        guard !isAudioServerReady else { return }
        isAudioServerReady = true
        effects.publish(.audioServerReady)
    }

    mutating func audioServerLost(effects: inout EffectCollector) {
        guard isAudioServerReady else { return }
        let before = receptionObstacle
        isAudioServerReady = false
        yieldTransmission(effects: &effects)
        yieldReception(before: before, effects: &effects)
        endAudio(effects: &effects)
        effects.publish(.audioServerLost)
    }
}

extension JoinedChannel {
    fileprivate func capture(_ lease: Lease) -> Capture {
        // An application that appears during a transmission does not change the open stream.
        let open = audio.microphone?.capture
        return Capture(
            captureID: lease.captureID,
            format: open?.captureID == lease.captureID ? open?.format ?? format : format,
            hasOwnSession: lease.transmission.role == .emergency
        )
    }

    fileprivate func playback(_ playbackID: PlaybackID) -> Playback? {
        running.map { Playback(playbackID: playbackID, format: $0.format, writer: $0.client) }
    }
}
