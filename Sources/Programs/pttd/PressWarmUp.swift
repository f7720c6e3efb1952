import EventLoop
import JSON
import PTTCore
import PTTMessages
import ServiceClient

/// One press from its request to its events, in a machine of its own whose effects nothing performs: no
/// microphone is opened and no client is notified.
///
/// It brings the code of a press, and the type metadata that Swift builds on first use, into memory before
/// the first press.
@EventLoop
struct PressWarmUp {
    private var session = TalkSession()
    private var requests = 0
    private let client = ClientID(rawValue: 0)
    /// The number of events that would have been published.
    private(set) var published = 0

    private static let origin = Origin(
        kind: .bluetoothButton,
        identifier: "00:00:00:00:00:00",
        name: "Warm-up"
    )

    init() {
        let channel = ChannelInterface.JoinRequest(channelID: nil, name: "Warm-up", application: nil)
        let channelID = ChannelID(randomBytes: (0, 0))
        let token = PushToken(rawValue: "")
        handle(.audioServerReady)
        request(.join(channel, processID: 0, newChannelID: channelID, newToken: token))
        let begin = ChannelInterface.BeginRequest(
            channelID: nil,
            source: .handsfreeButton,
            origin: Self.origin
        )
        if let begin = received(begin) { request(.begin(begin)) }
        let end = ChannelInterface.EndRequest(channelID: nil, origin: Self.origin, cause: .released)
        if let end = received(end) { request(.end(end)) }
    }

    private mutating func request(_ request: TalkSession.Request) {
        requests += 1
        handle(.request(RequestID(rawValue: requests), from: client, request))
    }

    /// The request as it is read from the socket.
    private func received<Request: Codable>(_ request: Request) -> Request? {
        // This text was written on the same line: reading it cannot fail.
        let message = try? JSON(parsing: JSON.object(["parameters": .object(.encoding(request))]).text)
        return try? message?.object?["parameters"]?.object?.decode(Request.self)
    }

    /// Performs only what the press needs to go on.
    private mutating func handle(_ event: TalkSession.Event) {
        var opened: [CaptureID] = []
        for effect in session.handle(event, at: .now) {
            if case .publish(let event) = effect {
                _ = CoreService.update(event, sequence: published, time: .now)
                published += 1
            }
            if case .reply(_, .began(let transmissionID, isRecording: _)) = effect {
                _ = JSONText.encoding(ChannelInterface.BeginReply(transmissionID: transmissionID))
            }
            if case .openCapture(let capture, _) = effect { opened.append(capture) }
        }
        for capture in opened { handle(.captureStarted(capture)) }
    }
}
