import PTTMessages

extension TalkSession {
    /// Longest name or identifier, in bytes of UTF-8: they are kept and sent to every subscriber.
    static let longestText = 256

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
            turn.log("\(what.traced) is shown without its picture: \(error)")
            return nil
        }
    }
}
