import PTTMessages

// One line per event and per effect, in the words that the scenario files of the tests are written in: lines of a
// daemon's log, each with its time before it, are a scenario. Texts from outside are quoted, so that none can forge a
// line.

extension TalkSession.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .joinRequested(let id, let client, let processID, let request, let fresh):
            words(
                "join \(id.rawValue) client \(client.rawValue) process \(processID)",
                traced(request),
                "fresh \(fresh)"
            )
        case .leaveRequested(let id, let client, let channelID):
            words("leave \(id.rawValue) client \(client.rawValue)", channelID.map { "channel \($0)" })
        case .descriptorRequested(let id, let client, let request):
            words(
                "rename \(id.rawValue) client \(client.rawValue)",
                request.channelID.map { "channel \($0)" },
                "name \(request.name.traced)"
            )
        case .beginRequested(let id, let client, let request):
            words(
                "begin \(id.rawValue) client \(client.rawValue)",
                request.channelID.map { "channel \($0)" },
                "source \(request.source) \(traced(request.origin))"
            )
        case .endRequested(let id, let client, let request):
            words(
                "end \(id.rawValue) client \(client.rawValue)",
                request.channelID.map { "channel \($0)" },
                request.origin.map { traced($0) },
                request.cause.map { "cause \($0)" }
            )
        case .clientDisconnected(let client): "disconnected client \(client.rawValue)"
        case .timerFired: "timerFired"
        case .captureStarted(let capture): "captureStarted \(capture.rawValue)"
        case .captureFailed(let capture, let cause): "captureFailed \(capture.rawValue) cause \(cause)"
        case .audioServerReady: "audioServerReady"
        case .audioServerLost: "audioServerLost"
        case .systemSuspending: "systemSuspending"
        case .systemResumed: "systemResumed"
        case .sessionLocked: "sessionLocked"
        case .shuttingDown: "shuttingDown"
        }
    }
}

extension TalkSession.Effect: CustomStringConvertible {
    public var description: String {
        switch self {
        case .openCapture(let capture, let format): "openCapture \(capture.rawValue) \(traced(format))"
        case .closeCapture(let capture): "closeCapture \(capture.rawValue)"
        case .deliverFrames(let capture, let client):
            "deliverFrames \(capture.rawValue) client \(client.rawValue)"
        case .stopFrames(let capture): "stopFrames \(capture.rawValue)"
        case .setTimer(let time): "setTimer \(time)"
        case .cancelTimer: "cancelTimer"
        case .reply(let id, let answer): "reply \(id.rawValue) \(answer)"
        case .publish(let event): "publish \(traced(event))"
        }
    }
}

extension TalkSession.Answer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .joined(let channelID, let format, let isApplication):
            words("joined \(channelID) \(traced(format))", isApplication ? "application" : nil)
        case .done: "done"
        case .began(let transmissionID): "began \(transmissionID.rawValue)"
        case .refused(let refusal): traced(refusal)
        }
    }
}

private func traced(_ event: CoreEvent) -> String {
    switch event {
    case .channelJoined(let channel):
        words(
            "\(event.kind) \(channel.channelID) \(channel.name.traced)",
            channel.application.map { "application \($0.name.traced) process \($0.processID)" }
        )
    case .descriptorChanged(let name):
        "\(event.kind) \(name.traced)"
    case .transmissionBegan(let transmission):
        "\(event.kind) \(transmission.transmissionID.rawValue) \(transmission.source) \(traced(transmission.origin))"
    case .transmissionEnded(let transmission, let cause):
        "\(event.kind) \(transmission.transmissionID.rawValue) \(cause)"
    case .transmissionRefused(let origin, let refusal):
        "\(event.kind) \(traced(origin)) \(traced(refusal))"
    case .timeLimitNear(let secondsLeft):
        "\(event.kind) \(secondsLeft)"
    case .applicationDetached, .channelLeft, .audioActivating, .audioActivated, .audioDeactivated,
        .audioServerReady, .audioServerLost:
        event.kind
    case .unknown(let kind):
        kind.traced
    }
}

private func traced(_ request: CoreInterface.JoinRequest) -> String {
    words(
        request.channelID.map { "channel \($0)" },
        "name \(request.name.traced)",
        request.application.map { "application \($0.traced)" },
        request.format.map { "format \(traced($0))" }
    )
}

private func traced(_ origin: Origin) -> String {
    "origin \(origin.kind) \(origin.identifier.traced) \(origin.name.traced)"
}

private func traced(_ refusal: Refusal) -> String {
    "refused \(refusal.code) \(refusal.reason.traced)"
}

private func traced(_ format: AudioFormat) -> String {
    "\(format.rate)/\(format.channels)"
}

private func words(_ words: String?...) -> String {
    words.compactMap(\.self).joined(separator: " ")
}
