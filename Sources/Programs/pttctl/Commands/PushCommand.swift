import ArgumentParser
import CommandLineTool
import EventLoop
import Glibc
import JSON
import PTTMessages
import ServiceClient

struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Send a push to the application of the channel, and wait for its outcome.",
        discussion: """
            The application receives the token when it joins, and decides who may use it; `ptt-echo` prints it. Exit code 1 \
            if the push is not accepted, or not answered.

            If the application is not running, the push starts it and waits for it; it is never delivered later than that.
            """
    )

    @Argument(help: "A JSON object, or @FILE to read one.")
    var payload = "{}"

    @Option(help: "The push token of the channel.")
    var token: String

    @Flag(help: "Mark it as a service update: only data, no audio will follow.")
    var serviceUpdate = false

    @Option(
        help: """
            1 to 10. Default: 10, or 5 for a service update, of which six per hour are accepted with a priority above 5.
            """
    )
    var priority: Int?

    @Option(help: "Seconds since 1970; 0 to deliver it now or never.")
    var expiration = 0

    @Option(
        help: "The recipient. Default: the identifier of the channel's application with .voip-ptt appended."
    )
    var topic: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let payload = try PushPayload(argument: payload)
        let text = serviceUpdate ? try payload.markedAsServiceUpdate() : payload.text
        try runOnLoop {
            let delivery = PushDelivery(json: output.json, stop: try StopSignal(after: PushDelivery.timeout))
            try await delivery.run { owner in
                PushInterface.SendRequest(
                    token: PushToken(rawValue: token),
                    topic: try topic ?? Self.topic(of: owner),
                    type: "pushtotalk",
                    priority: priority ?? (serviceUpdate ? 5 : 10),
                    expiration: expiration,
                    payload: text
                )
            }
        }
    }

    private static func topic(of owner: ApplicationID?) throws -> String {
        guard let owner else {
            throw CommandError("the push has no recipient: no channel of an application is joined")
        }
        return owner.rawValue + ".voip-ptt"
    }
}

/// The payload of a push, from the command line.
struct PushPayload {
    /// Far above the core's limit, so that the core can report its own.
    private static let sizeLimit = 64 * 1024

    let text: String

    /// - Parameter argument: JSON, or `@` and the path of a file with it.
    /// - Throws: ``CommandError`` if the file cannot be read.
    init(argument: String) throws {
        text = argument.hasPrefix("@") ? try Self.read(String(argument.dropFirst())) : argument
    }

    /// The payload with `"aps": {"ptt-push-type": "service-update"}`, which marks Apple's service updates.
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
        defer { _ = fclose(file) }  // Nothing was written, so that no error can be lost.
        var bytes = [UInt8](repeating: 0, count: sizeLimit)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw SystemError("read \(path)") }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// One push, from its request to its outcome.
@EventLoop
private final class PushDelivery {
    /// The core allows an application 10 s to start and 5 s to answer.
    static let timeout = Duration.seconds(20)

    private let json: Bool
    private let stop: StopSignal
    private var first: CheckedContinuation<Status, any Error>?
    private var pushID: PushID?
    /// Pushes that finished before the reply with our push's identifier arrived on the other connection.
    private var finished: [PushID: ChannelInterface.Update] = [:]

    init(json: Bool, stop: StopSignal) {
        self.json = json
        self.stop = stop
    }

    func run(_ request: (ApplicationID?) throws -> PushInterface.SendRequest) async throws {
        let core = try ServiceConnection.core()
        let events = try ServiceConnection.core()
        // Subscribed before the push is sent, so that its outcome is not missed.
        let status = try await withCheckedThrowingContinuation { continuation in
            first = continuation
            events.subscribe({ [self] in handle($0) }, ended: { [self] in fail($0) })
        }
        let pushID = try await core.call(PushInterface.send, request(status.channel?.owner)).pushID
        self.pushID = pushID
        if json {
            Terminal.print(PushInterface.SendReply(pushID: pushID))
        } else {
            Terminal.print("push \(pushID.rawValue) accepted")
        }
        if let update = finished[pushID] { finish(update) }
        await stop.wait()
        core.close()
        events.close()
        if let failure = stop.failure { throw failure }
        if finished[pushID] == nil { throw CommandError("the outcome of push \(pushID.rawValue) is unknown") }
    }

    private func handle(_ update: ChannelInterface.Update) {
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
        if json { Terminal.print(update) }
        switch outcome {
        case .answered:
            if !json { Terminal.print(Wording.line(event)) }
            stop.trigger()
        case .unknown, .failed, .unanswered, .undeliverable: fail(CommandError(Wording.line(event)))
        }
    }

    private func fail(_ error: any Error) {
        first?.resume(throwing: error)
        first = nil
        stop.trigger(error)
    }
}
