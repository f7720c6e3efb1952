import EventLoop
import PTTCore
import PTTMessages

extension TonePlayer {
    /// Keeps the stream open while a press can be answered by a tone.
    func update(after event: CoreEvent) {
        if case .channelJoined = event { isChannelJoined = true }
        if case .channelLeft = event { isChannelJoined = false }
        if case .virtualMicrophoneChanged(let microphone) = event {
            hasVirtualMicrophone = microphone.isPresent
        }
        if [.audioServerReady, .audioServerLost].contains(event) { serverChanged() }
    }

    /// Plays nothing more of a tone that says that the microphone is open, also where no other follows it.
    func microphoneClosed() {
        guard wait != nil || (next ?? playing)?.isPlayedDuringTransmission == true else { return }
        finishWaiting(at: .now)
        stop()
        closeUnneeded()
    }
}

extension Tone {
    /// While the microphone is open.
    var isPlayedDuringTransmission: Bool {
        switch self {
        case .talkPermit, .latched, .timeLimitNear: true
        case .end, .denied, .busy, .timeLimitReached, .accessoryLost, .batteryLow: false
        }
    }
}
