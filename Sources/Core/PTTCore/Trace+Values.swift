import PTTMessages

func traced(_ event: CoreEvent) -> String {
    switch event {
    case .channelJoined(let channel, let reason):
        words("\(event.kind) \(reason)", traced(channel))
    case .descriptorChanged(let name, let image):
        words("\(event.kind) \(name.traced)", image.map { traced($0) })
    case .channelLeft(let reason, let explanation):
        words("\(event.kind) \(reason)", explanation?.traced)
    case .serviceStatusChanged(let status): "\(event.kind) \(status)"
    case .transmissionModeChanged(let mode): "\(event.kind) \(mode)"
    case .accessoryEventsChanged(let isEnabled): "\(event.kind) \(isEnabled)"
    case .participantChanged(let participant):
        words(event.kind, participant?.name.traced, participant?.image.map { traced($0) })
    case .transmissionBegan(let transmission):
        words(
            "\(event.kind) \(transmission.transmissionID.rawValue) \(transmission.source)",
            traced(transmission.origin, transmission.role)
        )
    case .transmissionEnded(let transmission, let cause, let source):
        "\(event.kind) \(transmission.transmissionID.rawValue) \(cause) by \(source)"
    case .transmissionRefused(let origin, let refusal):
        "\(event.kind) \(traced(origin)) \(traced(refusal))"
    case .timeLimitNear(let secondsLeft): "\(event.kind) \(secondsLeft)"
    case .audioInterrupted(let interruption): "\(event.kind) \(interruption)"
    case .routeChanged(let input, let output):
        words(event.kind, input.map { "input \($0.traced)" }, output.map { "output \($0.traced)" })
    case .pushFinished(let pushID, let outcome, let explanation):
        words("\(event.kind) \(pushID.rawValue) \(outcome)", explanation?.traced)
    case .stateNotSaved(let reason): "\(event.kind) \(reason.traced)"
    case .virtualMicrophoneChanged(let microphone): "\(event.kind) \(traced(microphone))"
    case .callChanged(let call): words(event.kind, call.map { "\($0.source.traced) \($0.name.traced)" })
    case .recordersChanged(let recorders):
        words("\(event.kind)", recorders.isEmpty ? nil : recorders.map(\.traced).joined(separator: " "))
    case .microphoneChanged(let microphone):
        words(
            event.kind,
            microphone?.name.traced,
            microphone?.description.traced,
            microphone?.isMuted == true ? "muted" : nil,
            microphone?.isSilent == true ? "silent" : nil
        )
    case .volumeChanged(let volume): "\(event.kind) \(volume)"
    case .accessoryPressed(let origin, let role), .accessoryReleased(let origin, let role),
        .buttonPressed(let origin, let role), .buttonReleased(let origin, let role):
        "\(event.kind) \(traced(origin, role))"
    case .channelRestored(let restored, let token):
        words(
            "\(event.kind) \(restored.channelID)",
            restored.needsDescriptor ? "needsDescriptor" : nil,
            "token \(traced(token))"
        )
    case .pushReceived(let push):
        words(
            "\(event.kind) \(push.pushID.rawValue) \(push.kind) \(push.payload.utf8.count) bytes",
            push.isHighPriority ? "high" : "low",
            "budget \(push.remainingHighPriorityBudget)"
        )
    case .requestAnswered(let callID, let refusal):
        words(event.kind, callID.map { "call \($0.rawValue)" }, refusal.map { traced($0) })
    case .endRefused(let refusal): "\(event.kind) \(traced(refusal))"
    case .applicationStarting, .applicationDetached, .audioActivating, .audioActivated, .audioDeactivated,
        .audioInterruptionEnded, .audioServerReady, .audioServerLost, .stateSaved:
        event.kind
    case .unknown(let kind):
        kind.traced
    }
}

private func traced(_ channel: Channel) -> String {
    words(
        "\(channel.channelID) \(channel.name.traced)",
        channel.image.map { traced($0) },
        channel.owner.map { "owner \($0.rawValue.traced)" },
        channel.application.map { "application \($0.name.traced) process \($0.processID)" },
        channel.isApplicationStarting ? "starting" : nil,
        channel.serviceStatus == .ready ? nil : "status \(channel.serviceStatus)",
        channel.transmissionMode == .halfDuplex ? nil : "mode \(channel.transmissionMode)",
        channel.areAccessoryEventsEnabled ? nil : "accessories off",
        channel.participant.map { "participant \($0.name.traced)" }
    )
}

private func traced(_ microphone: VirtualMicrophone) -> String {
    switch microphone {
    case .off, .idle: "\(microphone.state)"
    case .unavailable(let reason): "\(microphone.state) \(reason.traced)"
    case .recorded(let applications):
        "\(microphone.state) \(applications.map(\.traced).joined(separator: " "))"
    }
}

func traced(_ saved: SavedChannel) -> String {
    words(
        "channel \(saved.channelID)",
        saved.owner.map { "application \($0.identifier.rawValue.traced) name \($0.name.traced)" },
        saved.owner?.activation.map { traced($0) },
        "token \(traced(saved.pushToken)) mode \(saved.transmissionMode)",
        "accessories \(saved.areAccessoryEventsEnabled ? "on" : "off")"
    )
}

func traced(_ descriptor: Descriptor) -> String {
    words("descriptor \(descriptor.name.traced)", descriptor.image.map { "image \($0.base64.traced)" })
}

func traced(_ activation: Activation) -> String {
    "activation \(activation.kind) \(activation.name.traced)"
}

func traced(_ token: PushToken) -> String {
    String(token.rawValue.prefix(4))
}

func traced(_ image: ImageSummary) -> String {
    "image \(image.imageID) \(image.byteCount)"
}

func traced(_ origin: Origin) -> String {
    "origin \(origin.kind) \(origin.identifier.traced) \(origin.name.traced)"
}

/// A button of an origin; the talk button without its role.
func traced(_ origin: Origin, _ role: ButtonRole) -> String {
    words(traced(origin), role == .talk ? nil : "role \(role)")
}

func traced(_ refusal: Refusal) -> String {
    "refused \(refusal.code) \(refusal.reason.traced)"
}

func traced(_ format: AudioFormat) -> String {
    "\(format.rate)/\(format.channels)"
}
