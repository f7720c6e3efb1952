import JSON
import PTTMessages
import Varlink

// The requests of a button, read without `Codable`, which takes most of the time from a press to its answer. Only
// their usual form is read here: exactly these members, each of its type. Everything else gives nil, and the decoder
// then tells whether it is a request in another form, or what is wrong with it.

extension VarlinkCall {
    /// The parameters as a value, by way of `usual` if that can read them.
    func decode<Request: Decodable>(usual: (JSONObject) -> Request?) throws(VarlinkError) -> Request {
        if let request = usual(parameters) { return request }
        return try request()
    }
}

extension ChannelInterface.BeginRequest {
    init?(usual parameters: JSONObject) {
        guard parameters.members.count == 2, let source = parameters["source"]?.string,
            let origin = Origin(usual: parameters["origin"])
        else { return nil }
        self.init(channelID: nil, source: TransmitSource(rawValue: source) ?? .unknown, origin: origin)
    }
}

extension ChannelInterface.EndRequest {
    init?(usual parameters: JSONObject) {
        guard parameters.members.count == 2, let cause = parameters["cause"]?.string,
            let origin = Origin(usual: parameters["origin"])
        else { return nil }
        self.init(channelID: nil, origin: origin, cause: EndCause(rawValue: cause) ?? .unknown)
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
