import EventLoop
import JSON
import PTTCore
import PTTMessages
import Varlink

/// One press from its request to what is told of it, with a machine of its own whose orders nobody carries out: no
/// microphone is opened and nobody hears of it.
///
/// The first press then finds the code of all this in memory, and the types that Swift describes to itself when they
/// are used first.
@EventLoop
struct Rehearsal {
    private var session = TalkSession()
    private var requests = 0
    private let client = ClientID(rawValue: 0)
    /// How many events would have been told.
    private(set) var told = 0

    static let origin = Origin(kind: .bluetoothButton, identifier: "00:00:00:00:00:00", name: "Rehearsal")

    init() {
        let channel = ChannelInterface.JoinRequest(channelID: nil, name: "Rehearsal", application: nil)
        let channelID = ChannelID(randomBytes: (0, 0))
        let token = PushToken(rawValue: "")
        take(.audioServerReady)
        request(.join(channel, processID: 0, newChannelID: channelID, newToken: token))
        let begin = ChannelInterface.BeginRequest(
            channelID: nil,
            source: .handsfreeButton,
            origin: Self.origin
        )
        if let begin = received(begin, ChannelInterface.BeginRequest.init(usual:)) {
            request(.begin(begin))
        }
        let end = ChannelInterface.EndRequest(channelID: nil, origin: Self.origin, cause: .released)
        if let end = received(end, ChannelInterface.EndRequest.init(usual:)) {
            request(.end(end))
        }
    }

    private mutating func request(_ request: TalkSession.Request) {
        requests += 1
        take(.request(RequestID(rawValue: requests), from: client, request))
    }

    /// The request as it comes from the socket.
    private func received<Request: Encodable>(
        _ request: Request,
        _ read: (JSONObject) -> Request?
    ) -> Request? {
        // It was text a moment ago, so that nothing can be wrong with it.
        let message = try? JSON(parsing: JSON.object(["parameters": .object(encoded(request))]).text)
        return message?.object?["parameters"]?.object.flatMap(read)
    }

    private mutating func take(_ event: TalkSession.Event) {
        var opened: [CaptureID] = []
        for effect in session.handle(event, at: .now) {
            if case .publish(let event) = effect {
                _ = CoreService.update(event, told, .now)
                told += 1
            }
            if case .reply(_, .began(let transmissionID)) = effect {
                _ = PreparedReply(ChannelInterface.BeginReply(transmissionID: transmissionID))
            }
            if case .openCapture(let capture, _) = effect { opened.append(capture) }
        }
        for capture in opened { take(.captureStarted(capture)) }
    }
}
