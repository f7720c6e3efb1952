/// Who and what is on the server, as far as it is used.
struct Directory: Sendable {
    /// More channels and people than servers have; what a hostile one adds beyond is left out.
    static let limit = 4096
    /// Longer names are cut, in bytes of UTF-8: a single character may have any number of them. `pttd`
    /// accepts no longer ones; the servers' own limits are 512 characters for channels and 128 for people.
    static let longestName = 256

    struct Channel: Sendable, Equatable {
        var parent: UInt32 = 0
        var name = ""
        /// By its description, as far as that is known.
        var rule = FloorRule.first
        /// True if the server has told only that the channel has another description.
        var isToAsk = false
    }

    struct Person: Sendable, Equatable {
        var name = ""
        var channel: UInt32 = 0
        var isMuted = false
        var isSuppressed = false
        /// True if the comment of this person is the one of our programs.
        var isOurs = false
        var hasPicture = false
        var isEmergency = false
        /// When the last packet of the emergency came; nil before the first one.
        var heard: Duration?

        /// True if the server passes on the voice of this person.
        var mayTalk: Bool { !isMuted && !isSuppressed }
    }

    private(set) var channels: [UInt32: Channel] = [:]
    private(set) var people: [UInt32: Person] = [:]

    mutating func update(_ state: WireChannelState) {
        guard channels[state.channelID] != nil || channels.count < Self.limit else { return }
        var channel = channels[state.channelID] ?? Channel()
        if state.hasParent { channel.parent = state.parent }
        if state.hasName { channel.name = state.name.cut(Self.longestName) }
        if state.hasDescription_p {
            channel.rule = FloorRule(description: state.description_p)
            channel.isToAsk = false
        } else if state.hasDescriptionHash {
            channel.isToAsk = true
        }
        channels[state.channelID] = channel
    }

    mutating func update(_ state: WireUserState) {
        guard people[state.session] != nil || people.count < Self.limit else { return }
        var person = people[state.session] ?? Person()
        if state.hasName { person.name = state.name.cut(Self.longestName) }
        if state.hasChannelID {
            // Those in the other channel are told of it there, and of its end.
            if state.channelID != person.channel { person.isEmergency = false }
            person.channel = state.channelID
        }
        if state.hasMute { person.isMuted = state.mute }
        if state.hasSuppress { person.isSuppressed = state.suppress }
        if state.hasComment { person.isOurs = state.comment == ServerSession.comment }
        if state.hasTexture { person.hasPicture = !state.texture.isEmpty }
        if state.hasTextureHash { person.hasPicture = !state.textureHash.isEmpty }
        people[state.session] = person
    }

    mutating func setEmergency(_ isEmergency: Bool, of session: UInt32) {
        people[session]?.isEmergency = isEmergency
        people[session]?.heard = nil
    }

    mutating func heard(_ session: UInt32, _ now: Duration) { people[session]?.heard = now }

    /// - Returns: True if the server is to be asked for the description, once for each change of it.
    mutating func ask(for channel: UInt32) -> Bool {
        guard channels[channel]?.isToAsk == true else { return false }
        channels[channel]?.isToAsk = false
        return true
    }

    mutating func removeChannel(_ channel: UInt32) { channels[channel] = nil }

    mutating func removePerson(_ session: UInt32) { people[session] = nil }

    /// - Parameter path: Names from the root on, whose own name is not among them.
    /// - Returns: The channel; nil if there is none.
    func channel(at path: [String]) -> UInt32? {
        path.reduce(UInt32?(0)) { parent, name in
            // The root is its own parent.
            parent.flatMap { parent in
                channels.first { $0.key != 0 && $0.value.parent == parent && $0.value.name == name }?.key
            }
        }
    }

    /// The names of the channels at the top, for a message: at most `count`.
    func names(_ count: Int) -> [String] {
        Array(
            channels.filter { $0.key != 0 && $0.value.parent == 0 }.map(\.value.name).sorted().prefix(count)
        )
    }
}

extension String {
    /// At most so many bytes of UTF-8, without a part of a character's code at the end.
    func cut(_ count: Int) -> String {
        guard utf8.count > count else { return self }
        return (0..<4).lazy.compactMap { String(utf8.prefix(count - $0)) }.first ?? ""
    }
}
