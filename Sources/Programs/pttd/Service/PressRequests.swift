import JSON
import PTTMessages

// The requests of a button, read without `Codable`, with which the core would spend a tenth more on a press.
// Only their usual form is read here: exactly these members, each of its type, and at most a role. Anything
// else gives nil; the decoder then accepts it as a request in another form, or names what is wrong with it.

extension ChannelInterface.BeginRequest {
    init?(usual parameters: JSONObject) {
        guard let source = parameters["source"]?.string, let origin = Origin(usual: parameters["origin"]),
            let usual = UsualRole(parameters)
        else { return nil }
        self.init(
            channelID: nil,
            source: TransmitSource(rawValue: source) ?? .unknown,
            origin: origin,
            role: usual.role ?? .talk
        )
    }
}

extension ChannelInterface.EndRequest {
    init?(usual parameters: JSONObject) {
        guard let cause = parameters["cause"]?.string, let origin = Origin(usual: parameters["origin"]),
            let usual = UsualRole(parameters)
        else { return nil }
        self.init(
            channelID: nil,
            origin: origin,
            cause: EndCause(rawValue: cause) ?? .unknown,
            role: usual.role
        )
    }
}

/// The button of a request with two members, or with a role as its third; nil if there are others.
private struct UsualRole {
    let role: ButtonRole?

    init?(_ parameters: JSONObject) {
        switch parameters.members.count {
        case 2: role = nil
        case 3:
            guard let role = parameters["role"]?.string else { return nil }
            self.role = ButtonRole(rawValue: role) ?? .unknown
        default: return nil
        }
    }
}

extension Origin {
    fileprivate init?(usual value: JSON?) {
        guard let object = value?.object, object.members.count == 3, let kind = object["kind"]?.string,
            let identifier = object["identifier"]?.string, let name = object["name"]?.string
        else { return nil }
        self.init(kind: OriginKind(rawValue: kind) ?? .unknown, identifier: identifier, name: name)
    }
}
