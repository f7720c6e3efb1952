import PTTMessages

extension TalkSession {
    /// Brings the streams in line with the transmission and the reception. It runs after each transition, and
    /// is the only place that opens streams.
    mutating func updateAudio() {
        openMicrophone()
        updateAudio(playback: playback)
        deliverFrames()
    }

    /// Opens the microphone for a transmission, which waits for an application that is being started.
    private mutating func openMicrophone() {
        guard let lease, lease.capture == nil, lease.isRecording || channel?.starting == nil else { return }
        let captureID = CaptureID(rawValue: lease.transmission.transmissionID.rawValue)
        let capture = Capture(captureID: captureID, format: format)
        self.lease?.capture = capture
        effects.open(capture)
    }

    /// Delivers frames from now on, if the gate is open and there is a sink. One that appears during a
    /// transmission receives frames of it if they have the format that it asked for, and otherwise from the
    /// next transmission on.
    private mutating func deliverFrames() {
        guard let sink, let capture = lease?.capture, capture.gate == .open, capture.format == format
        else { return }
        lease?.capture?.gate = .delivering
        effects.deliver(capture.captureID, to: sink)
    }

    private var format: AudioFormat { lease?.transmission.recording ?? channel?.format ?? .standard }

    private var sink: FrameSink? {
        if let lease, lease.isRecording { return .client(lease.holder) }
        guard let channel else { return .virtualMicrophone }
        return channel.receiver.map { .client($0) }
    }

    private var playback: Playback? {
        guard isPlaying, let running = channel?.running else { return nil }
        return audio.speaker
            ?? Playback(playbackID: audio.nextPlaybackID, format: running.format, writer: running.client)
    }

    /// Closes the speaker during a transition, where the end of the audio session is published before its
    /// cause.
    mutating func endAudio() { updateAudio(playback: nil) }

    /// Opens or closes the speaker so that exactly the given one is open.
    mutating func updateAudio(playback: Playback?) {
        audio.update(
            microphone: lease?.sessionUse,
            playback: playback,
            interruption: channel?.reception?.interruption,
            effects: &effects
        )
    }

    mutating func captureStarted(_ captureID: CaptureID) {
        guard let lease, let capture = lease.capture, capture.captureID == captureID else { return }
        // Before the talk permit: nobody would hear what is said after it.
        if let microphone, microphone.isDeaf { return endTransmission(.microphoneMuted) }
        guard !capture.isLive else { return }
        // In full duplex both ends talk at will, and what the speaker plays is captured.
        let isAnnounced = lease.isRecording || transmissionMode != .fullDuplex
        self.lease?.capture?.gate = isAnnounced ? .opening(until: effects.now + Capture.gateLimit) : .open
        if !lease.isRecording { audio.streamStarted(effects: &effects) }
        if isAnnounced { effects.sounds.append(.playTalkPermit(captureID)) }
    }

    mutating func gateOpened(_ captureID: CaptureID) {
        if lease?.capture?.captureID == captureID { lease?.capture?.openGate() }
    }

    /// Opens the gate at its limit.
    mutating func checkGate() {
        if let limit = lease?.capture?.gateLimit, effects.now >= limit { lease?.capture?.openGate() }
    }

    mutating func microphoneChanged(_ microphone: MicrophoneState) {
        guard microphone != self.microphone else { return }
        self.microphone = microphone
        effects.publish(.microphoneChanged(microphone: microphone))
        guard microphone.isDeaf, lease?.isLive == true else { return }
        endTransmission(.microphoneMuted)
    }

    mutating func setVolume(_ request: ChannelInterface.VolumeRequest) throws(RefusalCause) {
        guard Self.volumes.contains(request.volume) else { throw .volumeOutOfRange }
        set(volume: request.volume)
    }

    mutating func volumeRestored(_ saved: Int) {
        guard Self.volumes.contains(saved) else { return }
        effects.standing.volume = saved
        set(volume: saved)
    }

    private mutating func set(volume new: Int) {
        guard new != volume else { return }
        volume = new
        effects.sounds.append(.setVolume(new))
        effects.publish(.volumeChanged(volume: new))
    }

    mutating func captureFailed(_ captureID: CaptureID, _ cause: EndCause) {
        guard lease?.capture?.captureID == captureID else { return }
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
        let before = receptionObstacle()
        surroundings.isAudioServerReady = false
        yieldTransmission()
        yieldReception(before: before)
        endAudio()
        effects.publish(.audioServerLost)
    }
}
