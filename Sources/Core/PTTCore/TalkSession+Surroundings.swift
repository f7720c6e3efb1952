import PTTMessages

extension TalkSession {
    mutating func captureStarted(_ captureID: CaptureID, _ turn: inout Turn) {
        guard case .joined(var channel) = state else { return }
        channel.audio.captureStarted(captureID, &turn)
        channel.audio.deliver(to: channel.receiver?.client, in: channel.format, &turn)
        state = .joined(channel)
    }

    mutating func captureFailed(_ captureID: CaptureID, _ cause: EndCause, _ turn: inout Turn) {
        guard channel?.audio.capture?.captureID == captureID else { return }
        endTransmission(cause, &turn)
    }

    mutating func audioServerReady(_ turn: inout Turn) {
        guard !isAudioServerReady else { return }
        isAudioServerReady = true
        turn.publish(.audioServerReady)
    }

    mutating func audioServerLost(_ turn: inout Turn) {
        guard isAudioServerReady else { return }
        endTransmission(.audioServerLost, &turn)
        isAudioServerReady = false
        turn.publish(.audioServerLost)
    }

    mutating func systemSuspending(_ turn: inout Turn) {
        endTransmission(.suspended, &turn)
        if machine == .awake { machine = .suspending }
    }

    mutating func systemResumed() {
        if machine == .suspending { machine = .awake }
    }

    mutating func shuttingDown(_ turn: inout Turn) {
        endTransmission(.shuttingDown, &turn)
        machine = .shuttingDown
    }
}
