package import PTTMessages

/// The meaning of a tone, as text for those who do not hear it: why a press was refused, why a transmission
/// ended or is about to, or that it stays on.
package struct Message: Equatable, Sendable {
    package let text: Text
    /// Two messages with the same text are two.
    package let number: Int
}

extension CoreEvent {
    /// The text of a message; nil if there is none. `status` is that before the event.
    func message(in status: Status?) -> Text? {
        if case .transmissionRefused(let origin, let refusal) = self {
            // Of two clicks in a row the second may come before the first has begun.
            guard origin.isPressed(in: status), refusal.code != .transmissionInProgress else { return nil }
            let reason = DisplayText(refusal.reason, limit: DisplayText.sentenceLimit)
            if reason.isEmpty { return Text("Talking was refused") }
            // No catalogue has a sentence that had to be made fit.
            return reason.text == refusal.reason ? refusal.text : Text(verbatim: reason.text)
        }
        if case .timeLimitNear(let secondsLeft) = self {
            return Text("The time limit ends this in \(secondsLeft) s")
        }
        if case .transmissionLatched = self { return Text("The microphone stays open until the next press") }
        if case .transmissionEnded(_, let cause, _) = self {
            let problem = cause == .microphoneMuted ? status?.microphone?.problem : nil
            return problem ?? cause.message
        }
        return nil
    }
}

extension Origin {
    /// True if a person pressed, and the press was meant to transmit: programs know the answer themselves.
    fileprivate func isPressed(in status: Status?) -> Bool {
        switch kind {
        case .bluetoothButton, .wiredHeadset, .bluetoothHeadset, .serialMicrophone:
            status?.channel?.areAccessoryEventsEnabled != false
        case .inputDevice:
            TalkOrigin.has(self) || status?.channel?.areAccessoryEventsEnabled != false
        case .application, .commandLine, .unknown: TalkOrigin.has(self)
        }
    }
}

extension EndCause {
    /// Nil for an end that a person asked for, or that is shown already.
    fileprivate var message: Text? {
        switch self {
        case .timeLimit: Text("The time limit ended it. Press again to go on")
        case .linkLost: Text("It ended: the link to the button was lost")
        case .deviceRemoved: Text("It ended: the device was removed")
        case .microphoneLost: Text("It ended: the microphone was lost")
        // No event says that there is one again.
        case .noMicrophone: Text("It ended: there was no microphone")
        case .microphoneMuted: MicrophoneState.muted
        case .applicationUnavailable, .applicationGone, .audioConnectionLost:
            Text("It ended: the application does not run")
        case .connectionLost: Text("It ended: the program that talked has ended")
        case .modeChanged: Text("It ended: the channel allows only listening")
        case .floorTaken: Text("It ended: somebody else has the floor")
        case .unknown, .released, .stopped, .preempted, .channelLeft, .audioServerLost, .suspended,
            .sessionLocked, .sessionInactive, .shuttingDown, .callActive, .recorderGone:
            nil
        }
    }
}
