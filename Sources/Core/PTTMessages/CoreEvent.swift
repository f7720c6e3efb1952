/// Something that happened in the core. Subscribers get these in order.
public enum CoreEvent: Equatable, Sendable {
    case channelJoined(Channel)
    case descriptorChanged(name: String)
    /// The application's connection closed; the channel stays joined.
    case applicationDetached
    case channelLeft
    case transmissionBegan(Transmission)
    case transmissionEnded(Transmission, EndCause)
    case transmissionRefused(Origin, Refusal)
    /// The time-out timer will end the transmission in so many seconds.
    case timeLimitNear(secondsLeft: Int)
    case audioActivating
    /// The first captured buffer has arrived.
    case audioActivated
    case audioDeactivated
    case audioServerReady
    case audioServerLost
    /// From a newer core.
    case unknown(String)
}

extension CoreEvent: Codable {
    /// Varlink has no unions: an event is its kind and those of the other fields that belong to it.
    private enum CodingKeys: CodingKey {
        case kind
        case channel
        case name
        case transmission
        case cause
        case origin
        case refusal
        case secondsLeft
    }

    /// The word for the kind of event, as it stands on the socket.
    public var kind: String {
        switch self {
        case .channelJoined: "channelJoined"
        case .descriptorChanged: "descriptorChanged"
        case .applicationDetached: "applicationDetached"
        case .channelLeft: "channelLeft"
        case .transmissionBegan: "transmissionBegan"
        case .transmissionEnded: "transmissionEnded"
        case .transmissionRefused: "transmissionRefused"
        case .timeLimitNear: "timeLimitNear"
        case .audioActivating: "audioActivating"
        case .audioActivated: "audioActivated"
        case .audioDeactivated: "audioDeactivated"
        case .audioServerReady: "audioServerReady"
        case .audioServerLost: "audioServerLost"
        case .unknown(let kind): kind
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let kind = try container.decode(String.self, forKey: .kind)
        switch kind {
        case "channelJoined": self = .channelJoined(try container.decode(Channel.self, forKey: .channel))
        case "descriptorChanged":
            self = .descriptorChanged(name: try container.decode(String.self, forKey: .name))
        case "applicationDetached": self = .applicationDetached
        case "channelLeft": self = .channelLeft
        case "transmissionBegan":
            self = .transmissionBegan(try container.decode(Transmission.self, forKey: .transmission))
        case "transmissionEnded":
            self = .transmissionEnded(
                try container.decode(Transmission.self, forKey: .transmission),
                try container.decode(EndCause.self, forKey: .cause)
            )
        case "transmissionRefused":
            self = .transmissionRefused(
                try container.decode(Origin.self, forKey: .origin),
                try container.decode(Refusal.self, forKey: .refusal)
            )
        case "timeLimitNear":
            self = .timeLimitNear(secondsLeft: try container.decode(Int.self, forKey: .secondsLeft))
        case "audioActivating": self = .audioActivating
        case "audioActivated": self = .audioActivated
        case "audioDeactivated": self = .audioDeactivated
        case "audioServerReady": self = .audioServerReady
        case "audioServerLost": self = .audioServerLost
        default: self = .unknown(kind)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .kind)
        switch self {
        case .channelJoined(let channel): try container.encode(channel, forKey: .channel)
        case .descriptorChanged(let name): try container.encode(name, forKey: .name)
        case .transmissionBegan(let transmission): try container.encode(transmission, forKey: .transmission)
        case .transmissionEnded(let transmission, let cause):
            try container.encode(transmission, forKey: .transmission)
            try container.encode(cause, forKey: .cause)
        case .transmissionRefused(let origin, let refusal):
            try container.encode(origin, forKey: .origin)
            try container.encode(refusal, forKey: .refusal)
        case .timeLimitNear(let secondsLeft): try container.encode(secondsLeft, forKey: .secondsLeft)
        case .applicationDetached, .channelLeft, .audioActivating, .audioActivated, .audioDeactivated,
            .audioServerReady, .audioServerLost, .unknown:
            break
        }
    }
}
