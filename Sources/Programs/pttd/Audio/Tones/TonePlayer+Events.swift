import PTTCore
import PTTMessages

extension TonePlayer {
    /// Keeps the stream open while a press can be answered by a tone.
    func update(after event: CoreEvent) {
        switch event {
        case .channelJoined: isChannelJoined = true
        case .channelLeft: isChannelJoined = false
        case .virtualMicrophoneChanged(let microphone): hasVirtualMicrophone = microphone.isPresent
        case .audioServerReady, .audioServerLost: serverChanged()
        case .descriptorChanged, .applicationStarting, .applicationDetached, .serviceStatusChanged,
            .transmissionModeChanged, .accessoryEventsChanged, .participantChanged, .transmissionBegan,
            .transmissionEnded, .transmissionRefused, .timeLimitNear, .audioActivating, .audioActivated,
            .audioDeactivated, .audioInterrupted, .audioInterruptionEnded, .routeChanged, .channelRestored,
            .stateSaved, .stateNotSaved, .callChanged, .recordersChanged, .microphoneChanged, .volumeChanged,
            .pushReceived, .pushFinished, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .buttonPressed, .buttonReleased, .unknown:
            break
        }
    }
}

extension Tone {
    /// While the microphone is open.
    var isPlayedDuringTransmission: Bool {
        switch self {
        case .talkPermit, .timeLimitNear: true
        case .end, .denied, .busy, .timeLimitReached, .accessoryLost, .batteryLow: false
        }
    }
}
