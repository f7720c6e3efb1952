import PTTMessages

extension TalkSession {
    /// Longest name or identifier, in bytes of UTF-8: they are kept and sent to every subscriber.
    static let longestText = 256

    mutating func takeRequest(_ event: Event, _ turn: inout Turn) {
        guard let (request, answer) = answer(event, &turn), let answer else { return }
        turn.answer(request, answer)
    }

    private mutating func answer(_ event: Event, _ turn: inout Turn) -> (RequestID, Answer?)? {
        switch event {
        case .attachRequested(let id, let client, let processID, let request, let fresh):
            (id, attach(client, processID, request, fresh, &turn))
        case .joinRequested(let id, let client, let processID, let request, let fresh, let token):
            (id, join(client, processID, request, fresh, token, &turn))
        case .leaveRequested(let id, let client, let channelID): (id, leave(client, channelID, &turn))
        case .descriptorRequested(let id, let client, let request): (id, describe(client, request, &turn))
        case .beginRequested(let id, let client, let request): (id, begin(client, request, &turn))
        case .endRequested(let id, let client, let request): (id, end(client, request, &turn))
        case .foregroundRequested(let id, let client, let isForeground):
            (id, setForeground(client, isForeground))
        case .serviceStatusRequested(let id, let client, let request):
            (id, setServiceStatus(client, request, &turn))
        case .transmissionModeRequested(let id, let client, let request):
            (id, setTransmissionMode(client, request, &turn))
        case .accessoryEventsRequested(let id, let client, let request):
            (id, setAccessoryEvents(client, request, &turn))
        case .participantRequested(let id, let client, let request):
            (id, setParticipant(id, client, request, &turn))
        case .pushRequested(let id, let envelope): (id, push(envelope, &turn))
        case .finishPushRequested(let id, let client, let request): (id, finishPush(client, request, &turn))
        case .clientDisconnected, .restored, .applicationStartFailed, .timerFired, .captureStarted,
            .captureFailed, .playbackStarted, .playbackFailed, .audioConnectionReady, .audioConnectionLost,
            .routeChanged, .audioServerReady, .audioServerLost, .policyChanged, .systemSuspending,
            .systemResumed, .sessionLocked, .sessionUnlocked, .sessionInactive, .sessionActive, .stateSaved,
            .stateNotSaved, .shuttingDown:
            nil
        }
    }

    /// The channel that a request means; nil means the one that is joined. An application sees no other's channel.
    func named(_ channelID: ChannelID?, by client: ClientID) -> Result<JoinedChannel, Refusal> {
        switch state {
        case .notJoined:
            return .failure(.notJoined)
        case .joined(let channel):
            if attachments[client] != nil, channel.receiver != client { return .failure(.notYours(channel)) }
            guard let channelID, channelID != channel.channelID else { return .success(channel) }
            return .failure(.otherChannel(channelID, joined: channel))
        }
    }

    /// As above, for what only the channel's application may ask for.
    func owned(_ channelID: ChannelID?, by client: ClientID) -> Result<JoinedChannel, Refusal> {
        named(channelID, by: client).flatMap { channel in
            channel.receiver == client ? .success(channel) : .failure(.notYours(channel))
        }
    }

    /// A picture that can be kept, or nil and a line in the journal.
    func picture(_ base64: String?, of what: String, _ turn: inout Turn) -> Image? {
        guard let base64 else { return nil }
        do throws(Image.Unusable) {
            return try Image(base64: base64)
        } catch {
            turn.remark("\(what.traced) is shown without its picture: \(error)")
            return nil
        }
    }
}
