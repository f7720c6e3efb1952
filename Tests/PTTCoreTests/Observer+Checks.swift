import PTTCore
import PTTMessages

extension Observer {
    mutating func observeStream(_ effect: TalkSession.Effect) -> String? {
        switch effect {
        case .openCapture(let capture, _):
            if openCapture != nil { return "a second capture is opened" }
            if status.transmission == nil {
                return "the microphone opens before the transmission is published"
            }
            openCapture = capture
        case .closeCapture(let capture):
            if openCapture != capture { return "a capture is closed that is not open" }
            if receiver != nil || isVirtualMicrophoneFed {
                return "a capture is closed while frames are delivered"
            }
            openCapture = nil
            gate = nil
        case .deliverFrames(let capture, _) where gate?.capture == capture:
            return "frames are delivered that have the tone in them"
        case .deliverFrames(let capture, .client(let client)):
            let isTooEarly = recorder == nil && status.audio != .active
            if openCapture != capture || isTooEarly { return "frames are delivered too early" }
            if receiver != nil { return "frames are delivered twice" }
            if client != recorder ?? application { return "frames are delivered to another client" }
            receiver = client
        case .deliverFrames(let capture, .virtualMicrophone):
            if openCapture != capture || status.audio != .active { return "frames are delivered too early" }
            if isVirtualMicrophoneFed { return "frames are delivered twice" }
            if status.channel != nil || recorder != nil {
                return "frames of a channel, or of a recording, are delivered to the virtual microphone"
            }
            isVirtualMicrophoneFed = true
        case .stopFrames(let capture):
            if openCapture != capture || receiver == nil && !isVirtualMicrophoneFed {
                return "frames are stopped that are not delivered"
            }
            (receiver, isVirtualMicrophoneFed) = (nil, false)
        case .openPlayback(let playback, _, from: let client):
            if openPlayback != nil { return "a second playback is opened" }
            if client != application { return "another application is played" }
            openPlayback = playback
            (isPlaybackStarted, isUnheard) = (false, false)
            isSpeakerLost = false
        case .closePlayback(let playback):
            if openPlayback != playback { return "a playback is closed that is not open" }
            openPlayback = nil
        default: break
        }
        return nil
    }

    /// Why this event contradicts the events before it.
    func contradiction(_ event: CoreEvent) -> String? {
        switch event {
        case .audioActivating where status.audio != .inactive: "audio is activated twice"
        case .audioActivating where heardTransmission == nil && status.channel?.participant == nil:
            "audio is activated without a transmission or a participant"
        case .audioActivated where status.audio != .activating: "audio is active without activating"
        case .audioDeactivated where status.audio == .inactive: "audio is deactivated twice"
        case .audioDeactivated where openCapture != nil && recorder == nil || openPlayback != nil:
            "audio ends with an open stream"
        case .audioDeactivated where heardTransmission != nil: "audio ends before its transmission"
        case .transmissionBegan where status.transmission != nil: "a second transmission begins"
        case .transmissionEnded(let transmission, _, _) where status.transmission != transmission:
            "a transmission ends that did not run"
        case .transmissionEnded where openCapture != nil: "an end is published while the microphone is open"
        case .channelLeft where heardTransmission != nil || status.audio != .inactive:
            "the channel is left before its transmission ended"
        case .channelJoined
        where status.channel == nil && recorder == nil
            && (status.transmission != nil || openCapture != nil):
            "a channel is joined while the microphone is open for the virtual microphone"
        case .channelLeft where status.channel?.participant != nil:
            "the channel is left before its participant is cleared"
        case .applicationDetached where recorder == nil && openCapture != nil || heardTransmission != nil:
            "the application is detached before its transmission ended"
        case .audioInterrupted where interruption != nil: "audio is interrupted twice"
        case .audioInterruptionEnded where interruption == nil: "an interruption ends that did not begin"
        case .channelRestored, .pushReceived, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .buttonPressed, .buttonReleased:
            "all subscribers are notified of \(event)"
        default: nil
        }
    }

    func check(_ session: TalkSession) -> String? {
        if let violation = session.checkInvariants() { return violation }
        if status != session.status { return "a subscriber would believe \(status), not \(session.status)" }
        let channel = status.channel
        let isWaiting = channel?.isApplicationStarting == true
        if (openCapture != nil) != (status.transmission != nil && (!isWaiting || recorder != nil)) {
            return "a capture is open without a transmission, or a transmission has no capture"
        }
        if openCapture != nil, let violation = openMicrophone(channel) { return violation }
        // A transmission keeps a session on that a lost speaker would have ended.
        let isHeard =
            channel?.participant != nil && channel?.application != nil && interruption == nil
            && !isUnheard && !isSpeakerLost && !isWithoutAudio && !blocks.contains(.shuttingDown)
            && (channel?.transmissionMode != .halfDuplex || heardTransmission == nil)
        if (openPlayback != nil) != isHeard { return "the speaker is not open exactly during a reception" }
        if (status.audio != .inactive) != (openCapture != nil && recorder == nil || openPlayback != nil) {
            return "audio is not on exactly while a stream is open"
        }
        if let interruption, interruption != .call, channel?.participant == nil {
            return "an interruption without a participant"
        }
        if openPlayback != nil, status.call != nil || blocks.contains(.sessionInactive) {
            return "the speaker is open during a call, or while another session is active"
        }
        if (timer != nil) != (status.transmission != nil || isWaiting || !pushes.isEmpty) {
            return "the timer is not set exactly while a deadline is pending"
        }
        if let began = status.transmission?.began, let timer,
            timer.microseconds > began + status.timeLimit * 1_000_000
        {
            return "a transmission has no limit"
        }
        if !pushes.isEmpty, channel == nil { return "a push waits for a channel that was left" }
        return checkSaved(channel)
    }

    /// The transmission that the channel hears.
    private var heardTransmission: Transmission? { recorder == nil ? status.transmission : nil }

    private var isWithoutAudio: Bool { application.map(withoutAudio.contains) ?? false }

    /// In all circumstances a microphone is open only while its frames have a receiver and a client can close
    /// it.
    private func openMicrophone(_ channel: Channel?) -> String? {
        if let block = blocks.first { return "the microphone is open while \(block)" }
        if recorder != nil {
            if isRecorderGone { return "a recording goes on without its client" }
            if !status.isAudioServerReady { return "a recording goes on without an audio server" }
            return status.call == nil ? nil : "a recording goes on during a call"
        }
        if isWithoutAudio { return "the microphone is open for an application without an audio socket" }
        if !status.isAudioServerReady { return "the microphone is open without an audio server" }
        if status.call != nil, !emergencyDuringCalls || status.transmission?.role != .emergency {
            return "the microphone is open during a call"
        }
        if channel == nil, status.virtualMicrophone.state != .recorded {
            return "the microphone is open for a virtual microphone that no application records from"
        }
        if channel?.owner != nil, application == nil {
            return "the microphone is open for an application that has disconnected"
        }
        if channel?.transmissionMode == .listenOnly {
            return "the microphone is open in a channel that only listens"
        }
        if channel?.transmissionMode == .halfDuplex, channel?.participant != nil,
            status.transmission?.role != .emergency
        {
            return "the microphone is open while a participant talks in half duplex"
        }
        return nil
    }

    private func checkSaved(_ channel: Channel?) -> String? {
        guard saved?.channelID == channel?.channelID, saved?.owner?.identifier == channel?.owner else {
            return "another channel is on disk"
        }
        if let saved, let channel,
            saved.transmissionMode != channel.transmissionMode
                || saved.areAccessoryEventsEnabled != channel.areAccessoryEventsEnabled
        {
            return "the channel on disk has other settings"
        }
        if let descriptor, descriptor.name != channel?.name || descriptor.image?.summary != channel?.image {
            return "another descriptor is on disk"
        }
        return nil
    }
}

extension TalkSession.Effect {
    /// The position in the order of one event's effects.
    var stage: Int {
        switch self {
        case .closeCapture, .closePlayback, .stopFrames: 0
        case .setTimer, .cancelTimer: 1
        case .saveChannel, .saveDescriptor, .saveVolume: 2
        case .reply: 3
        case .publish, .notify, .log: 4
        case .startApplication: 5
        case .openCapture, .openPlayback: 6
        case .deliverFrames: 7
        case .setVolume, .playTone, .playTalkPermit: 8
        }
    }
}

extension TalkSession.Event {
    var request: RequestID? {
        switch self {
        case .request(let id, from: _, _), .pushSent(let id, _): id
        case .clientDisconnected, .restored, .applicationStartFailed, .timerFired, .captureStarted,
            .captureFailed,
            .playbackStarted, .playbackFailed, .speakerReturned, .audioConnectionReady, .audioConnectionLost,
            .routeChanged,
            .audioServerReady, .audioServerLost, .policyChanged, .systemSuspending, .systemResumed,
            .sessionLocked, .sessionUnlocked, .sessionInactive, .sessionActive, .stateSaved, .stateNotSaved,
            .slept, .volumeRestored,
            .gateOpened, .microphoneChanged, .virtualMicrophoneChanged, .callChanged, .recordersChanged,
            .shuttingDown:
            nil
        }
    }
}
