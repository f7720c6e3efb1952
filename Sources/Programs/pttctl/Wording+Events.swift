import Invocation
import PTTMessages
import ServiceClient

extension Wording {
    static func line(_ event: CoreEvent) -> String {
        switch event {
        case .channelJoined(let joined, let reason): localized("joined \(channel(joined)), \(text(reason))")
        case .descriptorChanged(let name, let image):
            localized("channel renamed to \(name), \(image.map(text) ?? localized("no image"))")
        case .applicationStarting: localized("the application is not running: starting it")
        case .applicationDetached: localized("the application has disconnected; the channel stays joined")
        case .channelLeft(let reason, let explanation):
            localized("left the channel: \(text(reason))\(more(explanation))")
        case .serviceStatusChanged(let status): localized("service \(text(status))")
        case .transmissionModeChanged(let mode): localized("transmission mode: \(text(mode))")
        case .accessoryEventsChanged(let isEnabled):
            localized("buttons \(text(areAccessoryEventsEnabled: isEnabled))")
        case .participantChanged(let now):
            now.map { localized("\(participant($0)) is talking") } ?? localized("no participant is talking")
        case .transmissionBegan(let began): localized("transmission began: \(transmission(began))")
        case .transmissionLatched(let latched):
            localized("transmission stays on: \(transmission(latched))")
        case .transmissionEnded(let ended, let cause, let by):
            localized(
                "transmission ended: \(button(ended.role, of: ended.origin)), \(text(cause))\(ending(by))"
            )
        case .transmissionRefused(let origin, let refusal):
            localized("transmission refused: \(origin.name), \(text(refusal))")
        case .timeLimitNear(let secondsLeft):
            localized("the time limit ends this transmission in \(secondsLeft) s")
        case .audioActivating: localized("audio activating")
        case .audioActivated: localized("audio active")
        case .audioDeactivated: localized("audio inactive, microphone and speaker closed")
        case .audioInterrupted(let interruption): localized("audio interrupted: \(text(interruption))")
        case .audioInterruptionEnded: localized("audio interruption ended")
        case .routeChanged(let input, let output): route(input, output)
        case .audioServerReady: localized("audio server connected")
        case .audioServerLost: localized("audio server lost")
        case .pushFinished(let pushID, let outcome, let explanation):
            localized("push \(pushID.rawValue) \(text(outcome))\(more(explanation))")
        case .stateSaved: localized("the core's state is saved again")
        case .stateNotSaved(let reason):
            localized("the core's state is not saved, a restart will restore an earlier one: \(reason)")
        case .virtualMicrophoneChanged(let microphone):
            text(microphone) ?? localized("Push-to-Talk Microphone: not wanted")
        case .callChanged(let call):
            call.map { localized("a call began: \(text($0))") } ?? localized("the call has ended")
        case .recordersChanged(let recorders):
            recorders.isEmpty
                ? localized("no other application records")
                : localized("other recorders: \(recorders.joined(separator: ", "))")
        case .microphoneChanged(let microphone):
            localized("microphone: \(microphone.map { text($0) } ?? localized("none"))")
        case .volumeChanged(let volume): localized("volume \(volume) %")
        case .channelRestored(let restored, _):
            localized("channel restored: \(restored.channelID.description)")
        case .pushReceived(let push):
            localized("push \(push.pushID.rawValue) received: \(text(push.kind)) \(push.payload)")
        case .requestAnswered(_, let refusal):
            refusal.map { localized("request refused: \(text($0))") } ?? localized("request carried out")
        case .endRefused(let refusal): localized("transmission not ended: \(text(refusal))")
        case .accessoryPressed(let origin, let role), .buttonPressed(let origin, let role):
            localized("button press passed to the application: \(button(role, of: origin))")
        case .accessoryReleased(let origin, let role), .buttonReleased(let origin, let role):
            localized("button release passed to the application: \(button(role, of: origin))")
        case .unknown(let kind): localized("\(kind) (unknown to this pttctl)")
        }
    }

    static func text(_ refusal: Refusal) -> String { ServiceError.refused(refusal).text.localized }

    static func text(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .unknown: localized("ended with an outcome unknown to this pttctl")
        case .answered: localized("answered by the application")
        case .failed: localized("answered, but the answer could not be carried out")
        case .unanswered: localized("not answered by the application")
        case .undeliverable: localized("not delivered")
        }
    }

    /// An optional explanation, to be appended to a sentence.
    static func more(_ explanation: String?) -> String { explanation.map { ": \($0)" } ?? "" }

    private static func route(_ input: String?, _ output: String?) -> String {
        let changes = [
            input.map { localized("microphone is \($0)") }, output.map { localized("speaker is \($0)") },
        ]
        return changes.compactMap(\.self).joined(separator: ", ")
    }

    /// The source of the end of a transmission, if there is one.
    private static func ending(_ by: TransmitSource) -> String {
        by == .unknown ? "" : " (\(by.rawValue))"
    }

    private static func text(_ kind: PushKind) -> String {
        switch kind {
        case .unknown: localized("of a kind unknown to this pttctl")
        case .pushToTalk: localized("push-to-talk")
        case .serviceUpdate: localized("service update")
        }
    }

    private static func text(_ reason: JoinReason) -> String {
        switch reason {
        case .unknown: localized("for a reason unknown to this pttctl")
        case .developerRequest: localized("newly joined")
        case .channelRestoration: localized("restored: its application is back")
        }
    }

    private static func text(_ reason: LeaveReason) -> String {
        switch reason {
        case .unknown: localized("for an unknown reason")
        case .userRequest: localized("requested by the user")
        case .developerRequest: localized("requested by its application")
        case .systemPolicy: localized("forbidden by the policy file")
        }
    }

    private static func text(_ interruption: Interruption) -> String {
        switch interruption {
        case .unknown: localized("for a reason unknown to this pttctl")
        case .audioServerLost: localized("the audio server was lost")
        case .speakerLost: localized("the speaker was lost")
        case .audioConnectionLost: localized("the application closed its audio socket")
        case .suspended: localized("the machine is going to sleep")
        case .call: localized("a call began")
        case .sessionInactive: localized("another session of the seat became active")
        }
    }

    private static func text(_ cause: EndCause) -> String {
        switch cause {
        case .unknown: localized("for a reason unknown to this pttctl")
        case .released: localized("released")
        case .stopped: localized("stopped")
        case .timeLimit: localized("the time limit was reached; release the button before the next press")
        case .connectionLost: localized("its connection closed")
        case .applicationGone: localized("the application disconnected")
        case .audioConnectionLost: localized("the application closed its audio socket")
        case .channelLeft: localized("the channel was left")
        case .linkLost: localized("the radio link was lost")
        case .deviceRemoved: localized("the device was removed")
        case .audioServerLost: localized("the audio server was lost")
        case .microphoneLost: localized("the microphone was lost")
        case .noMicrophone: localized("there is no microphone (see `journalctl --user -u pttd`)")
        case .microphoneMuted: localized("the microphone is muted in the audio server, or its volume is zero")
        case .suspended: localized("the machine is going to sleep")
        case .sessionLocked: localized("the session was locked")
        case .sessionInactive: localized("another session of the seat became active")
        case .modeChanged: localized("the transmission mode no longer allows it")
        case .applicationUnavailable: localized("the application was started for it but did not attach")
        case .shuttingDown: localized("the core is shutting down")
        case .preempted: localized("an emergency took its place")
        case .floorTaken: localized("somebody else has the floor")
        case .callActive: localized("a call began")
        case .recorderGone: localized("no application uses the Push-to-Talk Microphone any more")
        }
    }
}
