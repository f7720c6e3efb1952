import PTTMessages

extension TalkSession {
    /// Longest name or identifier, in bytes of UTF-8: they are kept and sent to every subscriber.
    static let longestText = 256

    /// Throws unless the name is not empty and all texts are short enough to keep.
    static func check(_ name: String = "name", longest texts: String...) throws(RefusalCause) {
        if name.isEmpty { throw .emptyName }
        if texts.contains(where: { $0.utf8.count > longestText }) { throw .longName }
    }

    /// The channel that a request names; nil names the joined one. An application has access to its own
    /// channel only.
    func channel(_ channelID: ChannelID?, for client: ClientID) throws(RefusalCause) -> JoinedChannel {
        guard let channel else { throw .notJoined }
        if attachments[client] != nil, channel.receiver != client { throw .notYours(channel.description) }
        guard let channelID, channelID != channel.channelID else { return channel }
        throw .otherChannel(channelID, joined: channel.description)
    }

    /// The channel that a request names, for requests that only the channel's application may make.
    func ownChannel(_ channelID: ChannelID?, of client: ClientID) throws(RefusalCause) -> JoinedChannel {
        let channel = try channel(channelID, for: client)
        guard channel.receiver == client else { throw .notYours(channel.description) }
        return channel
    }

    /// The image if it can be kept; nil and a line in the journal if it cannot.
    mutating func image(_ base64: String?, of name: String) -> Image? {
        guard let base64 else { return nil }
        do throws(Image.Unusable) {
            return try Image(base64: base64)
        } catch {
            effects.log("\(name.traced) is shown without its picture: \(error)")
            return nil
        }
    }

    /// Returns true if the application is in the foreground. A client that is not attached has no background.
    func isInForeground(_ client: ClientID) -> Bool {
        guard let process = attachments[client] else { return true }
        return process.isForeground && surroundings.isSeen
    }
}
