import EventLoop
import JSON
package import PTTMessages
import Varlink

// A button asks for the same again and again. Its request is encoded once, and its usual answer is read without
// `Codable`, which takes half of the time that a press spends in this process.

extension ServiceConnection {
    /// Sends the request in this turn of the loop.
    package func begin(
        _ request: ChannelInterface.BeginRequest,
        then: @escaping @EventLoop (Result<ChannelInterface.BeginReply, ServiceError>) -> Void
    ) {
        guard nextCallID == nil else {
            return call(ChannelInterface.beginTransmitting, request, then: then)
        }
        call(preparedBegin(request), read: { ChannelInterface.BeginReply(usual: $0) }, then: then)
    }

    /// Sends the request in this turn of the loop.
    package func end(
        _ request: ChannelInterface.EndRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        guard nextCallID == nil else { return send(ChannelInterface.endTransmitting, request, then: then) }
        let isDone: @EventLoop (JSONObject) -> NoParameters? = { $0.isEmpty ? NoParameters() : nil }
        call(preparedEnd(request), read: isDone, then: { then($0.map { _ in }) })
    }

    /// Encodes the requests of a press and its release without sending them, so that the first press need not.
    package func prepare(_ begin: ChannelInterface.BeginRequest, _ end: ChannelInterface.EndRequest) {
        _ = preparedBegin(begin)
        _ = preparedEnd(end)
    }

    private func preparedBegin(_ request: ChannelInterface.BeginRequest) -> PreparedCall {
        presses.begin.prepared(for: request) {
            PreparedCall(ChannelInterface.beginTransmitting.qualifiedName, .encoding(request))
        }
    }

    private func preparedEnd(_ request: ChannelInterface.EndRequest) -> PreparedCall {
        presses.end.prepared(for: request) {
            PreparedCall(ChannelInterface.endTransmitting.qualifiedName, .encoding(request))
        }
    }
}

/// The last requests of a press and of its release.
struct PressRequests {
    var begin = LastRequest<ChannelInterface.BeginRequest>()
    var end = LastRequest<ChannelInterface.EndRequest>()
}

struct LastRequest<Request: SameText> {
    private var last: (request: Request, call: PreparedCall)?

    /// Calls `prepare` if the request is another than the last.
    mutating func prepared(for request: Request, _ prepare: () -> PreparedCall) -> PreparedCall {
        if let last, last.request.hasSameText(as: request) { return last.call }
        let call = prepare()
        last = (request, call)
        return call
    }
}

/// Equality is not enough for what is sent: origins are equal whatever their names, and strings whatever their bytes.
protocol SameText {
    func hasSameText(as other: Self) -> Bool
}

extension ChannelInterface.BeginRequest: SameText {
    func hasSameText(as other: Self) -> Bool {
        channelID == other.channelID && source == other.source && origin.hasSameText(as: other.origin)
    }
}

extension ChannelInterface.EndRequest: SameText {
    func hasSameText(as other: Self) -> Bool {
        guard channelID == other.channelID, cause == other.cause else { return false }
        guard let origin, let otherOrigin = other.origin else { return origin == nil && other.origin == nil }
        return origin.hasSameText(as: otherOrigin)
    }
}

extension Origin: SameText {
    func hasSameText(as other: Origin) -> Bool {
        kind == other.kind && identifier.hasSameBytes(as: other.identifier)
            && name.hasSameBytes(as: other.name)
    }
}

extension ChannelInterface.BeginReply {
    /// Nil for everything but one number, which may be good nevertheless.
    init?(usual parameters: JSONObject) {
        guard parameters.members.count == 1, case .int(let number)? = parameters["transmissionID"],
            let transmissionID = Int(exactly: number)
        else { return nil }
        self.init(transmissionID: TransmissionID(rawValue: transmissionID))
    }
}
