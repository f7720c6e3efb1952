import PTTMessages

extension TalkSession {
    /// Brings the audio session in line with the transmission and the reception. It runs after each
    /// transition, and is the only place that opens streams.
    mutating func updateAudio() {
        let isPlaying = isPlaying
        if isPlaying, audio.speaker == nil { playbackCount += 1 }
        let playbackID = audio.speaker?.playbackID ?? PlaybackID(rawValue: playbackCount)
        updateAudio(capture: capture, playback: isPlaying ? playback(playbackID) : nil)
        audio.deliver(to: sink, in: format, effects: &effects)
    }

    private var format: AudioFormat { lease?.transmission.recording ?? channel?.format ?? .standard }

    private var sink: FrameSink? {
        if let lease, lease.isRecording { return .client(lease.holder) }
        guard let channel else { return .virtualMicrophone }
        return channel.receiver.map { .client($0) }
    }

    /// The stream of the transmission, which waits for an application that is being started.
    private var capture: Capture? {
        guard let lease, lease.isRecording || channel?.starting == nil else { return nil }
        // An application that appears during a transmission does not change the open stream.
        let open = audio.microphone?.capture
        return Capture(
            captureID: lease.captureID,
            format: open?.captureID == lease.captureID ? open?.format ?? format : format,
            session: lease.isRecording ? .none : lease.transmission.role == .emergency ? .own : .shared
        )
    }

    private func playback(_ playbackID: PlaybackID) -> Playback? {
        channel?.running.map { Playback(playbackID: playbackID, format: $0.format, writer: $0.client) }
    }

    /// Closes the streams of the channel during a transition, where the end of the audio session is published
    /// before its cause.
    mutating func endAudio() {
        updateAudio(capture: lease?.isRecording == true ? capture : nil, playback: nil)
    }

    /// Opens and closes streams so that exactly the given ones are open.
    mutating func updateAudio(capture: Capture?, playback: Playback?) {
        let interruption = channel?.reception?.interruption
        audio.update(capture: capture, playback: playback, interruption: interruption, effects: &effects)
    }

    mutating func captureStarted(_ captureID: CaptureID) {
        guard audio.microphone?.capture.captureID == captureID else { return }
        // Before the talk permit: nobody would hear what is said after it.
        if let microphone, microphone.isDeaf { return endTransmission(.microphoneMuted) }
        // In full duplex both ends talk at will, and what the speaker plays is captured.
        let isAnnounced = lease?.isRecording == true || transmissionMode != .fullDuplex
        audio.captureStarted(isAnnounced: isAnnounced, effects: &effects)
    }

    mutating func microphoneChanged(_ microphone: MicrophoneState) {
        guard microphone != self.microphone else { return }
        self.microphone = microphone
        effects.publish(.microphoneChanged(microphone: microphone))
        guard microphone.isDeaf, let lease, audio.isLive(lease.captureID) else { return }
        endTransmission(.microphoneMuted)
    }

    mutating func setVolume(_ request: ChannelInterface.VolumeRequest) throws(RefusalCause) {
        guard Self.volumes.contains(request.volume) else { throw .volumeOutOfRange }
        set(volume: request.volume)
    }

    mutating func volumeRestored(_ saved: Int) {
        guard Self.volumes.contains(saved) else { return }
        savedVolume = saved
        set(volume: saved)
    }

    private mutating func set(volume new: Int) {
        guard new != volume else { return }
        volume = new
        effects.sounds.append(.setVolume(new))
        effects.publish(.volumeChanged(volume: new))
    }

    mutating func captureFailed(_ captureID: CaptureID, _ cause: EndCause) {
        guard audio.microphone?.capture.captureID == captureID else { return }
        endTransmission(cause)
    }

    mutating func audioConnectionLost(_ client: ClientID) {
        if let lease, lease.isRecording, lease.holder == client { endTransmission(.audioConnectionLost) }
        // Also of an application that has no channel yet, or waits for it.
        if channel?.receiver == client || attachments[client] != nil { clientsWithoutAudio.insert(client) }
    }

    mutating func audioServerReady() {
        guard !surroundings.isAudioServerReady else { return }
        surroundings.isAudioServerReady = true
        effects.publish(.audioServerReady)
    }

    mutating func audioServerLost() {
        guard surroundings.isAudioServerReady else { return }
        let before = receptionObstacle
        surroundings.isAudioServerReady = false
        yieldTransmission()
        yieldReception(before: before)
        endAudio()
        effects.publish(.audioServerLost)
    }
}
