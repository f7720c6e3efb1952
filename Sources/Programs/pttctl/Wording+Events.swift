import PTTMessages

extension Wording {
    static func line(_ event: CoreEvent) -> String {
        switch event {
        case .channelJoined(let joined, let reason): "joined \(channel(joined)), \(text(reason))"
        case .descriptorChanged(let name, let image):
            "channel renamed to \(name), \(image.map(text) ?? "no image")"
        case .applicationStarting: "the application is not running: starting it"
        case .applicationDetached: "the application has disconnected; the channel stays joined"
        case .channelLeft(let reason, let explanation):
            "left the channel: \(text(reason))\(more(explanation))"
        case .serviceStatusChanged(let status): "service \(text(status))"
        case .transmissionModeChanged(let mode): "transmission mode: \(text(mode))"
        case .accessoryEventsChanged(let isEnabled): "buttons \(text(areAccessoryEventsEnabled: isEnabled))"
        case .participantChanged(let now):
            now.map { "\(participant($0)) is talking" } ?? "no participant is talking"
        case .transmissionBegan(let began): "transmission began: \(transmission(began))"
        case .transmissionEnded(let ended, let cause, let by):
            "transmission ended: \(button(ended.role, of: ended.origin)), \(text(cause))\(ending(by))"
        case .transmissionRefused(let origin, let refusal):
            "transmission refused: \(origin.name), \(text(refusal))"
        case .timeLimitNear(let secondsLeft): "the time limit ends this transmission in \(secondsLeft) s"
        case .audioActivating: "audio activating"
        case .audioActivated: "audio active"
        case .audioDeactivated: "audio inactive, microphone and speaker closed"
        case .audioInterrupted(let interruption): "audio interrupted: \(text(interruption))"
        case .audioInterruptionEnded: "audio interruption ended"
        case .routeChanged(let input, let output): route(input, output)
        case .audioServerReady: "audio server connected"
        case .audioServerLost: "audio server lost"
        case .pushFinished(let pushID, let outcome, let explanation):
            "push \(pushID.rawValue) \(text(outcome))\(more(explanation))"
        case .stateSaved: "the core's state is saved again"
        case .stateNotSaved(let reason):
            "the core's state is not saved, a restart will restore an earlier one: \(reason)"
        case .virtualMicrophoneChanged(let microphone):
            text(microphone) ?? "Push-to-Talk Microphone: not wanted"
        case .callChanged(let call): callLine(call)
        case .recordersChanged(let recorders): recordersLine(recorders)
        case .microphoneChanged(let microphone): "microphone: \(microphone.map { text($0) } ?? "none")"
        case .volumeChanged(let volume): "volume \(volume) %"
        case .channelRestored(let restored, _): "channel restored: \(restored.channelID)"
        case .pushReceived(let push):
            "push \(push.pushID.rawValue) received: \(text(push.kind)) \(push.payload)"
        case .requestAnswered(_, let refusal):
            refusal.map { "request refused: \(text($0))" } ?? "request carried out"
        case .endRefused(let refusal): "transmission not ended: \(text(refusal))"
        case .accessoryPressed(let origin, let role), .buttonPressed(let origin, let role):
            "button press passed to the application: \(button(role, of: origin))"
        case .accessoryReleased(let origin, let role), .buttonReleased(let origin, let role):
            "button release passed to the application: \(button(role, of: origin))"
        case .unknown(let kind): "\(kind) (unknown to this pttctl)"
        }
    }

    static func text(_ refusal: Refusal) -> String { "\(refusal.reason) (\(refusal.code.rawValue))" }

    static func text(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .unknown: "ended with an outcome unknown to this pttctl"
        case .answered: "answered by the application"
        case .failed: "answered, but the answer could not be carried out"
        case .unanswered: "not answered by the application"
        case .undeliverable: "not delivered"
        }
    }

    /// An optional explanation, to be appended to a sentence.
    static func more(_ explanation: String?) -> String { explanation.map { ": \($0)" } ?? "" }

    private static func route(_ input: String?, _ output: String?) -> String {
        let changes = [input.map { "microphone is \($0)" }, output.map { "speaker is \($0)" }]
        return changes.compactMap(\.self).joined(separator: ", ")
    }

    /// The source of the end of a transmission, if there is one.
    private static func ending(_ by: TransmitSource) -> String {
        by == .unknown ? "" : " (\(by.rawValue))"
    }

    private static func text(_ kind: PushKind) -> String {
        switch kind {
        case .unknown: "of a kind unknown to this pttctl"
        case .pushToTalk: "push-to-talk"
        case .serviceUpdate: "service update"
        }
    }

    private static func text(_ reason: JoinReason) -> String {
        switch reason {
        case .unknown: "for a reason unknown to this pttctl"
        case .developerRequest: "newly joined"
        case .channelRestoration: "restored: its application is back"
        }
    }

    private static func text(_ reason: LeaveReason) -> String {
        switch reason {
        case .unknown: "for an unknown reason"
        case .userRequest: "requested by the user"
        case .developerRequest: "requested by its application"
        case .systemPolicy: "forbidden by the policy file"
        }
    }

    private static func text(_ interruption: Interruption) -> String {
        switch interruption {
        case .unknown: "for a reason unknown to this pttctl"
        case .audioServerLost: "the audio server was lost"
        case .speakerLost: "the speaker was lost"
        case .audioConnectionLost: "the application closed its audio socket"
        case .suspended: "the machine is going to sleep"
        case .call: "a call began"
        case .sessionInactive: "another session of the seat became active"
        }
    }

    private static func text(_ cause: EndCause) -> String {
        switch cause {
        case .unknown: "for a reason unknown to this pttctl"
        case .released: "released"
        case .stopped: "stopped"
        case .timeLimit: "the time limit was reached; release the button before the next press"
        case .connectionLost: "its connection closed"
        case .applicationGone: "the application disconnected"
        case .audioConnectionLost: "the application closed its audio socket"
        case .channelLeft: "the channel was left"
        case .linkLost: "the radio link was lost"
        case .deviceRemoved: "the device was removed"
        case .audioServerLost: "the audio server was lost"
        case .microphoneLost: "the microphone was lost"
        case .noMicrophone: "there is no microphone (see `journalctl --user -u pttd`)"
        case .microphoneMuted: "the microphone is muted in the audio server, or its volume is zero"
        case .suspended: "the machine is going to sleep"
        case .sessionLocked: "the session was locked"
        case .sessionInactive: "another session of the seat became active"
        case .modeChanged: "the transmission mode no longer allows it"
        case .applicationUnavailable: "the application was started for it but did not attach"
        case .shuttingDown: "the core is shutting down"
        case .preempted: "an emergency took its place"
        case .callActive: "a call began"
        case .recorderGone: "no application uses the Push-to-Talk Microphone any more"
        }
    }
}
