import ArgumentParser
import EventLoop
import Glibc
import JSON
import PTTMessages
import ServiceClient

struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send a push to the application of the channel, and wait for what becomes of it.",
        discussion: """
            The token is the application's to give away: it learns it when it joins, `ptt-echo` prints it. Exit code 1 \
            if the push is not accepted, or not answered.

            A push that starts with an absent application waits for it; a push is never delivered later than that.
            """
    )

    @Argument(help: "A JSON object, or @FILE to read one.")
    var payload = "{}"

    @Option(help: "The push token of the channel.")
    var token: String

    @Flag(help: "Mark it as a service update: data only, no audio follows.")
    var serviceUpdate = false

    @Option(help: "1 to 10. 10 if left out, and 5 for a service update: six above 5 are accepted in an hour.")
    var priority: Int?

    @Option(help: "Seconds since 1970; 0 for now or never.")
    var expiration = 0

    @Option(help: "Who gets it. The channel's application and .voip-ptt if left out.")
    var topic: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let payload = try PushPayload(argument: payload)
        let (json, topic) = (output.json, topic)
        let text = serviceUpdate ? try payload.markedAsServiceUpdate() : payload.text
        let (token, expiration) = (PushToken(rawValue: token), expiration)
        let priority = priority ?? (serviceUpdate ? 5 : 10)
        try onLoop {
            let delivery = PushDelivery(json: json, stop: try StopSignal(after: PushDelivery.patience))
            try await delivery.run { owner in
                PushInterface.SendRequest(
                    token: token,
                    topic: try topic ?? Self.topic(of: owner),
                    type: "pushtotalk",
                    priority: priority,
                    expiration: expiration,
                    payload: text
                )
            }
        }
    }

    private static func topic(of owner: ApplicationID?) throws -> String {
        guard let owner else {
            throw CommandError("no channel of an application is joined: nobody could get a push")
        }
        return owner.rawValue + ".voip-ptt"
    }
}

/// What a push carries, as it was given on the command line.
struct PushPayload {
    /// Far more than the core takes, so that the core can say what it takes.
    private static let sizeLimit = 64 * 1024

    let text: String

    /// - Parameter argument: JSON, or `@` and the path of a file with it.
    /// - Throws: ``CommandError`` if the file cannot be read.
    init(argument: String) throws {
        text = argument.hasPrefix("@") ? try Self.read(String(argument.dropFirst())) : argument
    }

    /// With the sign of Apple's service updates, `"aps": {"ptt-push-type": "service-update"}`, added to it.
    func markedAsServiceUpdate() throws -> String {
        guard var payload = try JSON(parsing: text).object else {
            throw CommandError("the payload is not a JSON object")
        }
        var aps = payload["aps"]?.object ?? JSONObject()
        aps["ptt-push-type"] = "service-update"
        payload["aps"] = .object(aps)
        return JSON.object(payload).text
    }

    private static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "re") else { throw SystemError("open \(path)") }
        defer { _ = fclose(file) }  // Only read from.
        var bytes = [UInt8](repeating: 0, count: sizeLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw SystemError("read \(path)") }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// One push from its sending to what became of it.
@EventLoop
private final class PushDelivery {
    /// The core allows an application 10 s to start and 5 s to answer.
    static let patience = Duration.seconds(20)

    private let json: Bool
    private let stop: StopSignal
    private var first: CheckedContinuation<Status, any Error>?
    private var pushID: PushID?
    /// Those that finished before the answer to the sending came on the other connection.
    private var finished: [PushID: ChannelInterface.Update] = [:]
    private var failure: (any Error)?

    init(json: Bool, stop: StopSignal) {
        self.json = json
        self.stop = stop
    }

    func run(_ request: (ApplicationID?) throws -> PushInterface.SendRequest) async throws {
        let core = try ServiceConnection.core()
        let events = try ServiceConnection.core()
        // Before the push is sent, so that nothing that becomes of it is missed.
        let status = try await withCheckedThrowingContinuation { continuation in
            first = continuation
            events.subscribe({ [self] in follow($0) }, ended: { [self] in fail($0) })
        }
        let pushID = try await core.push(request(status.channel?.owner))
        self.pushID = pushID
        if json {
            try Terminal.say(PushInterface.SendReply(pushID: pushID))
        } else {
            Terminal.say("push \(pushID.rawValue) accepted")
        }
        if let update = finished[pushID] { finish(update) }
        await stop.wait()
        core.close()
        events.close()
        if let failure { throw failure }
        if finished[pushID] == nil { throw CommandError("nothing was heard of push \(pushID.rawValue)") }
    }

    private func follow(_ update: ChannelInterface.Update) {
        if let status = update.status {
            first?.resume(returning: status)
            first = nil
        }
        guard case .pushFinished(let finishedID, _, _)? = update.event else { return }
        finished[finishedID] = update
        if finishedID == pushID { finish(update) }
    }

    private func finish(_ update: ChannelInterface.Update) {
        guard let event = update.event, case .pushFinished(_, let outcome, _) = event else { return }
        do {
            if json { try Terminal.say(update) }
            switch outcome {
            case .answered:
                if !json { Terminal.say(Wording.line(event)) }
                stop.trigger()
            case .unknown, .failed, .unanswered, .undeliverable: fail(CommandError(Wording.line(event)))
            }
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: any Error) {
        first?.resume(throwing: error)
        first = nil
        failure = failure ?? error
        stop.trigger()
    }
}
