import EventLoop
import JSON
package import PTTMessages
import Varlink

// Each press of a button sends the same request. It is encoded once, and its usual answer is read without `Codable`,
// which is half of the time that a press spends in this process.

extension ServiceConnection {
    /// Sends the request in this turn of the loop.
    package func begin(
        _ request: ChannelInterface.BeginRequest,
        then: @escaping @EventLoop (Result<ChannelInterface.BeginReply, ServiceError>) -> Void
    ) {
        precondition(nextCallID == nil, "A request that is encoded once cannot have the number of a call")
        call(preparedBegin(request), read: { ChannelInterface.BeginReply(usual: $0) }, then: then)
    }

    /// Sends the request in this turn of the loop.
    package func end(
        _ request: ChannelInterface.EndRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        precondition(nextCallID == nil, "A request that is encoded once cannot have the number of a call")
        let isDone: @EventLoop (JSONObject) -> NoParameters? = { $0.isEmpty ? NoParameters() : nil }
        call(preparedEnd(request), read: isDone, then: { then($0.map { _ in }) })
    }

    /// Encodes the requests of a press and its release before the first press needs them.
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

/// The most recent requests of a press and of its release.
struct PressRequests {
    var begin = LastRequest<ChannelInterface.BeginRequest>()
    var end = LastRequest<ChannelInterface.EndRequest>()
}

struct LastRequest<Request: SameText> {
    private var last: (request: Request, call: PreparedCall)?

    /// Calls `prepare` unless the request has the text of the last one.
    mutating func prepared(for request: Request, _ prepare: () -> PreparedCall) -> PreparedCall {
        if let last, last.request.hasSameText(as: request) { return last.call }
        let call = prepare()
        last = (request, call)
        return call
    }
}

/// Compares what is sent. Equality does not: origins with different names are equal, and so are strings with different
/// bytes (Unicode canonical equivalence).
protocol SameText {
    func hasSameText(as other: Self) -> Bool
}

extension ChannelInterface.BeginRequest: SameText {
    func hasSameText(as other: Self) -> Bool {
        channelID == other.channelID && source == other.source && role == other.role
            && origin.hasSameText(as: other.origin)
    }
}

extension ChannelInterface.EndRequest: SameText {
    func hasSameText(as other: Self) -> Bool {
        guard channelID == other.channelID, cause == other.cause, role == other.role else { return false }
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
    /// Nil if there is anything but one number. `Codable` may still accept that.
    init?(usual parameters: JSONObject) {
        guard parameters.members.count == 1, case .int(let number)? = parameters["transmissionID"],
            let transmissionID = Int(exactly: number)
        else { return nil }
        self.init(transmissionID: TransmissionID(rawValue: transmissionID))
    }
}
