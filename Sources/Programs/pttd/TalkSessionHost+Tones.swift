import EventLoop
import PTTCore
import PTTMessages

// Tones, and how they are kept out of what is captured.
extension TalkSessionHost {
    func playTalkPermit(_ capture: CaptureID) {
        let microphone = backends.microphone
        microphone.discard(before: .now + ToneSounds.longest)
        backends.tones.play(.talkPermit, capturedBy: microphone) { [weak self] time in
            guard let self, self.capture.isOpen(capture) else { return }
            microphone.discard(before: time)
            post(.gateOpened(capture))
        }
    }

    /// A tone during a transmission is kept out of it as well.
    func play(_ tone: Tone) {
        let (tones, microphone) = (backends.tones, backends.microphone)
        guard tone.isPlayedDuringTransmission, tones.isCaptured(tone) else { return tones.play(tone) }
        microphone.silence(until: .now + ToneSounds.longest)
        tones.play(tone, capturedBy: microphone) { microphone.silence(until: $0) }
    }
}
