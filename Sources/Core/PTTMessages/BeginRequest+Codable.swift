// Written out only for the role of a press, which is left out if it is `talk`.

extension ChannelInterface.BeginRequest {
    private enum CodingKeys: CodingKey {
        case channelID, source, origin, role
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        channelID = try fields.decodeIfPresent(ChannelID.self, forKey: .channelID)
        source = try fields.decode(TransmitSource.self, forKey: .source)
        origin = try fields.decode(Origin.self, forKey: .origin)
        role = try fields.decodePress(forKey: .role)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(channelID, forKey: .channelID)
        try fields.encode(source, forKey: .source)
        try fields.encode(origin, forKey: .origin)
        try fields.encode(pressOf: role, forKey: .role)
    }
}
