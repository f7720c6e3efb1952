import PTTMessages

extension Wording {
    static func line(_ event: CoreEvent) -> String {
        switch event {
        case .channelJoined(let joined, let reason): "joined \(channel(joined)), \(words(reason))"
        case .descriptorChanged(let name, let image):
            "channel renamed to \(name), \(image.map(words) ?? "no image")"
        case .applicationStarting: "the application is not running: starting it"
        case .applicationDetached: "the application has gone; the channel stays joined"
        case .channelLeft(let reason, let explanation):
            "left the channel: \(words(reason))\(more(explanation))"
        case .serviceStatusChanged(let status): "service \(words(status))"
        case .transmissionModeChanged(let mode): "transmission mode: \(words(mode))"
        case .accessoryEventsChanged(let isEnabled): "buttons \(words(areAccessoryEventsEnabled: isEnabled))"
        case .participantChanged(let now): now.map { "\(participant($0)) talks" } ?? "nobody talks any more"
        case .transmissionBegan(let began): "transmission began: \(transmission(began))"
        case .transmissionEnded(let ended, let cause, let by):
            "transmission ended: \(ended.origin.name), \(words(cause))\(ending(by))"
        case .transmissionRefused(let origin, let refusal):
            "transmission refused: \(origin.name), \(words(refusal))"
        case .timeLimitNear(let secondsLeft): "the time limit ends this transmission in \(secondsLeft) s"
        case .audioActivating: "audio opening"
        case .audioActivated: "audio active"
        case .audioDeactivated: "audio inactive, microphone and speaker closed"
        case .audioInterrupted(let interruption): "audio interrupted: \(words(interruption))"
        case .audioInterruptionEnded: "audio interruption over"
        case .routeChanged(let input, let output): route(input, output)
        case .audioServerReady: "audio server connected"
        case .audioServerLost: "audio server lost"
        case .pushFinished(let pushID, let outcome, let explanation):
            "push \(pushID.rawValue) \(words(outcome))\(more(explanation))"
        case .stateSaved: "the state of the core is on disk again"
        case .stateNotSaved(let reason):
            "the state of the core is not on disk, a restart will find an earlier one: \(reason)"
        case .channelRestored(let restored, _): "channel restored: \(restored.channelID)"
        case .pushReceived(let push):
            "push \(push.pushID.rawValue) received: \(words(push.kind)) \(push.payload)"
        case .requestAnswered(_, let refusal):
            refusal.map { "request refused: \(words($0))" } ?? "request carried out"
        case .endRefused(let refusal): "no transmission ended: \(words(refusal))"
        case .accessoryPressed(let origin): "button pressed, for the application: \(origin.name)"
        case .accessoryReleased(let origin): "button released, for the application: \(origin.name)"
        case .unknown(let kind): "\(kind) (not known to this pttctl)"
        }
    }

    static func words(_ refusal: Refusal) -> String { "\(refusal.reason) (\(refusal.code.rawValue))" }

    static func words(_ outcome: PushOutcome) -> String {
        switch outcome {
        case .unknown: "ended in a way this pttctl does not know"
        case .answered: "answered by the application"
        case .failed: "answered, but the answer could not be carried out"
        case .unanswered: "not answered by the application"
        case .undeliverable: "not delivered"
        }
    }

    /// An explanation that may be missing, to go behind a sentence.
    static func more(_ explanation: String?) -> String { explanation.map { ": \($0)" } ?? "" }

    private static func route(_ input: String?, _ output: String?) -> String {
        let changes = [input.map { "microphone is \($0)" }, output.map { "speaker is \($0)" }]
        return changes.compactMap(\.self).joined(separator: ", ")
    }

    /// Who ended a transmission, unless nobody did.
    private static func ending(_ by: TransmitSource) -> String {
        by == .unknown ? "" : " (\(by.rawValue))"
    }

    private static func words(_ kind: PushKind) -> String {
        switch kind {
        case .unknown: "of a kind this pttctl does not know"
        case .pushToTalk: "push-to-talk"
        case .serviceUpdate: "service update"
        }
    }

    private static func words(_ reason: JoinReason) -> String {
        switch reason {
        case .unknown: "for a reason this pttctl does not know"
        case .developerRequest: "newly joined"
        case .channelRestoration: "restored: its application is back"
        }
    }

    private static func words(_ reason: LeaveReason) -> String {
        switch reason {
        case .unknown: "nobody asked for it"
        case .userRequest: "a person asked for it"
        case .developerRequest: "its application asked for it"
        case .systemPolicy: "the policy file forbids it now"
        }
    }

    private static func words(_ interruption: Interruption) -> String {
        switch interruption {
        case .unknown: "for a reason this pttctl does not know"
        case .audioServerLost: "the audio server was lost"
        case .speakerLost: "the speaker was lost"
        case .audioConnectionLost: "the application closed its audio socket"
        case .suspended: "the machine goes to sleep"
        }
    }

    private static func words(_ cause: EndCause) -> String {
        switch cause {
        case .unknown: "for a reason this pttctl does not know"
        case .released: "released"
        case .stopped: "stopped"
        case .timeLimit: "the time limit was reached; release the button before the next press"
        case .connectionLost: "its connection closed"
        case .applicationGone: "the application has gone"
        case .audioConnectionLost: "the application closed its audio socket"
        case .channelLeft: "the channel was left"
        case .linkLost: "the radio link was lost"
        case .deviceRemoved: "the device was removed"
        case .audioServerLost: "the audio server was lost"
        case .microphoneLost: "the microphone was lost"
        case .noMicrophone: "there is no microphone (`journalctl --user -u pttd` says why)"
        case .suspended: "the machine goes to sleep"
        case .sessionLocked: "the session was locked"
        case .sessionInactive: "another session came to the front of the screen"
        case .modeChanged: "the transmission mode does not allow it any more"
        case .applicationUnavailable: "the application was started for it and did not come"
        case .shuttingDown: "the core is shutting down"
        }
    }
}
