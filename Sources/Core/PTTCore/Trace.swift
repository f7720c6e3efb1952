import PTTMessages

// One line per event and per effect, in the words that the scenario files of the tests are written in: lines of a
// daemon's log, each with its time before it, are a scenario. Texts from outside are quoted, so that none can forge a
// line. Push tokens let their bearer in, and payloads are between the application and its server: the former stand as
// their first four digits, the latter as their length.

extension TalkSession.Event: CustomStringConvertible {
    package var description: String {
        switch self {
        case .request(let id, let client, let request): traced(request, id.rawValue, client.rawValue)
        case .pushSent(let id, let envelope): "push \(id.rawValue) \(traced(envelope))"
        case .clientDisconnected(let client): "disconnected client \(client.rawValue)"
        case .restored(let saved, let descriptor):
            words("restored \(traced(saved))", descriptor.map { traced($0) })
        case .applicationStartFailed(let startID, let reason):
            "startFailed \(startID.rawValue) reason \(reason.traced)"
        case .timerFired: "timerFired"
        case .captureStarted(let capture): "captureStarted \(capture.rawValue)"
        case .captureFailed(let capture, let cause):
            "captureFailed \(capture.rawValue) cause \(cause)"
        case .playbackStarted(let playback): "playbackStarted \(playback.rawValue)"
        case .playbackFailed(let playback, let interruption, let reason):
            "playbackFailed \(playback.rawValue) interruption \(interruption) reason \(reason.traced)"
        case .audioConnectionReady(let client): "audioConnectionReady client \(client.rawValue)"
        case .audioConnectionLost(let client): "audioConnectionLost client \(client.rawValue)"
        case .routeChanged(let input, let output):
            words(
                "routeChanged",
                input.map { "input \($0.traced)" },
                output.map { "output \($0.traced)" }
            )
        case .audioServerReady: "audioServerReady"
        case .audioServerLost: "audioServerLost"
        case .policyChanged(let policy): "policy\(traced(policy))"
        case .systemSuspending: "systemSuspending"
        case .systemResumed: "systemResumed"
        case .sessionLocked: "sessionLocked"
        case .sessionUnlocked: "sessionUnlocked"
        case .sessionInactive: "sessionInactive"
        case .sessionActive: "sessionActive"
        case .stateSaved: "stateSaved"
        case .stateNotSaved(let reason): "stateNotSaved reason \(reason.traced)"
        case .shuttingDown: "shuttingDown"
        }
    }
}

private func traced(_ request: TalkSession.Request, _ id: Int, _ client: Int) -> String {
    switch request {
    case .attach(let request, let processID, let fresh):
        words(
            "attach \(id) client \(client) process \(processID)",
            "application \(request.identifier.rawValue.traced) name \(request.name.traced)",
            request.activation.map { traced($0) },
            request.isForeground.map { $0 ? "front" : "background" },
            request.format.map { "format \(traced($0))" },
            "token \(traced(fresh))"
        )
    case .join(let request, let processID, let fresh, let token):
        words(
            "join \(id) client \(client) process \(processID)",
            traced(request),
            "fresh \(fresh)",
            "token \(traced(token))"
        )
    case .leave(let request):
        words("leave \(id) client \(client)", request.channelID.map { "channel \($0)" })
    case .setDescriptor(let request):
        words(
            "rename \(id) client \(client)",
            request.channelID.map { "channel \($0)" },
            "name \(request.name.traced)",
            request.image.map { "image \($0.traced)" }
        )
    case .begin(let request):
        words(
            "begin \(id) client \(client)",
            request.channelID.map { "channel \($0)" },
            "source \(request.source) \(traced(request.origin))"
        )
    case .end(let request):
        words(
            "end \(id) client \(client)",
            request.channelID.map { "channel \($0)" },
            request.origin.map { traced($0) },
            request.cause.map { "cause \($0)" }
        )
    case .setForeground(let request):
        "foreground \(id) client \(client) \(request.isForeground)"
    case .setServiceStatus(let request):
        words(
            "serviceStatus \(id) client \(client)",
            request.channelID.map { "channel \($0)" },
            "status \(request.status)"
        )
    case .setTransmissionMode(let request):
        words(
            "transmissionMode \(id) client \(client)",
            request.channelID.map { "channel \($0)" },
            "mode \(request.mode)"
        )
    case .setAccessoryEvents(let request):
        words(
            "accessoryEvents \(id) client \(client)",
            request.channelID.map { "channel \($0)" },
            "enabled \(request.isEnabled)"
        )
    case .setParticipant(let request):
        words(
            "participant \(id) client \(client)",
            request.channelID.map { "channel \($0)" },
            request.participant.map { traced($0) }
        )
    case .finishPush(let request):
        words(
            "finishPush \(id) client \(client) push \(request.pushID.rawValue)",
            "result \(request.result)",
            request.participant.map { traced($0) },
            request.endsTransmission ? "endsTransmission" : nil
        )
    }
}

extension TalkSession.Effect: CustomStringConvertible {
    package var description: String {
        switch self {
        case .openCapture(let capture, let format): "openCapture \(capture.rawValue) \(traced(format))"
        case .closeCapture(let capture): "closeCapture \(capture.rawValue)"
        case .deliverFrames(let capture, let client):
            "deliverFrames \(capture.rawValue) client \(client.rawValue)"
        case .stopFrames(let capture): "stopFrames \(capture.rawValue)"
        case .openPlayback(let playback, let format, let client):
            "openPlayback \(playback.rawValue) \(traced(format)) client \(client.rawValue)"
        case .closePlayback(let playback): "closePlayback \(playback.rawValue)"
        case .setTimer(let time): "setTimer \(time)"
        case .cancelTimer: "cancelTimer"
        case .saveChannel(let saved): "saveChannel \(saved.map { traced($0) } ?? "none")"
        case .saveDescriptor(let descriptor): "saveDescriptor \(descriptor.map { traced($0) } ?? "none")"
        case .reply(let id, let answer): "reply \(id.rawValue) \(answer)"
        case .publish(let event): "publish \(traced(event))"
        case .notify(let client, let event): "notify client \(client.rawValue) \(traced(event))"
        case .startApplication(let startID, let application, let activation):
            "startApplication \(startID.rawValue) \(application.rawValue.traced) \(traced(activation))"
        case .log(let text): "log \(text.traced)"
        }
    }
}

extension TalkSession.Answer: CustomStringConvertible {
    package var description: String {
        switch self {
        case .joined(let channelID, let format, let token, let isApplication):
            words(
                "joined \(channelID) \(traced(format))",
                isApplication ? "application" : nil,
                token.map { "token \(traced($0))" }
            )
        case .attached(let token, let format, let restored, let left, let isForeground):
            words(
                "attached token \(traced(token)) \(traced(format))",
                isForeground ? nil : "background",
                restored.map { "restored \($0.channelID)" },
                restored?.needsDescriptor == true ? "needsDescriptor" : nil,
                left.map { "left \($0.channelID) \($0.reason)" },
                left?.explanation?.traced
            )
        case .done: "done"
        case .began(let transmissionID): "began \(transmissionID.rawValue)"
        case .accepted(let pushID): "accepted \(pushID.rawValue)"
        case .refused(let refusal): traced(refusal)
        case .rejected(let rejection): "rejected \(rejection.code) \(rejection.reason.traced)"
        }
    }
}

func words(_ words: String?...) -> String {
    words.compactMap(\.self).joined(separator: " ")
}
