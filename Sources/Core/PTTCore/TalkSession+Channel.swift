import PTTMessages

extension TalkSession {
    /// Longest name or identifier, in bytes of UTF-8: they are kept and sent to every subscriber.
    static let longestText = 256

    mutating func join(
        _ client: ClientID,
        _ processID: Int,
        _ request: CoreInterface.JoinRequest,
        _ fresh: ChannelID,
        _ turn: inout Turn
    ) -> Answer {
        if machine == .shuttingDown { return .refused(.shuttingDown) }
        if let refusal = Refusal.tooLong(request.name, request.application ?? "") { return .refused(refusal) }
        let receiver = request.application.map {
            JoinedChannel.Receiver(client: client, application: Application(name: $0, processID: processID))
        }
        switch state {
        case .notJoined:
            let channel = JoinedChannel(
                channelID: request.channelID ?? fresh,
                name: request.name,
                format: request.format ?? .standard,
                receiver: receiver
            )
            state = .joined(channel)
            turn.publish(.channelJoined(channel.description))
            return .joined(channel.channelID, channel.format, isApplication: receiver != nil)
        case .joined(let channel):
            guard channel.channelID == request.channelID else { return .refused(.channelLimit(channel)) }
            guard let receiver else {
                return .joined(channel.channelID, channel.format, isApplication: false)
            }
            return takeOver(channel, by: receiver, request, &turn)
        }
    }

    /// An application comes back to a channel that has none.
    private mutating func takeOver(
        _ channel: JoinedChannel,
        by receiver: JoinedChannel.Receiver,
        _ request: CoreInterface.JoinRequest,
        _ turn: inout Turn
    ) -> Answer {
        guard channel.receiver == nil else { return .refused(.channelLimit(channel)) }
        var channel = channel
        channel.name = request.name
        channel.format = request.format ?? .standard
        channel.receiver = receiver
        turn.publish(.channelJoined(channel.description))
        channel.audio.deliver(to: receiver.client, in: channel.format, &turn)
        state = .joined(channel)
        return .joined(channel.channelID, channel.format, isApplication: true)
    }

    mutating func leave(_ channelID: ChannelID?, _ turn: inout Turn) -> Answer {
        switch named(channelID) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success:
            endTransmission(.channelLeft, &turn)
            state = .notJoined
            turn.publish(.channelLeft)
            return .done
        }
    }

    mutating func rename(_ request: CoreInterface.DescriptorRequest, _ turn: inout Turn) -> Answer {
        if let refusal = Refusal.tooLong(request.name) { return .refused(refusal) }
        switch named(request.channelID) {
        case .failure(let refusal):
            return .refused(refusal)
        case .success(var channel):
            guard channel.name != request.name else { return .done }
            channel.name = request.name
            state = .joined(channel)
            turn.publish(.descriptorChanged(name: request.name))
            return .done
        }
    }

    mutating func clientDisconnected(_ client: ClientID, _ turn: inout Turn) {
        guard let before = channel else { return }
        guard before.receiver?.client == client else {
            if before.lease?.holder == client { endTransmission(.connectionLost, &turn) }
            return
        }
        endTransmission(.applicationGone, &turn)
        guard case .joined(var channel) = state else { return }
        channel.receiver = nil
        state = .joined(channel)
        turn.publish(.applicationDetached)
    }

    /// The channel that a request means; nil means the one that is joined.
    func named(_ channelID: ChannelID?) -> Result<JoinedChannel, Refusal> {
        switch state {
        case .notJoined:
            return .failure(.notJoined)
        case .joined(let channel):
            guard let channelID, channelID != channel.channelID else { return .success(channel) }
            return .failure(.otherChannel(channelID, joined: channel))
        }
    }
}
