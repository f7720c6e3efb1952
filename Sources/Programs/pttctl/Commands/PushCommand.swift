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
        try runOnLoop { try await send(text) }
    }

    @EventLoop
    private func send(_ payload: String) async throws {
        // The core allows an application 10 s to start and 5 s to answer.
        let stop = try StopSignal(after: .seconds(20))
        let core = try ServiceConnection.core()
        let events = try ServiceConnection.core()
        defer {
            core.close()
            events.close()
        }
        let (updates, source) = AsyncThrowingStream<ChannelInterface.Update, any Error>.makeStream()
        events.subscribe({ source.yield($0) }, ended: { source.finish(throwing: $0) })
        var pushID: PushID?
        for try await update in updates {
            // Subscribed before the push is sent, so that its outcome is not missed.
            if pushID == nil, let status = update.status {
                let owner = status.channel?.owner
                let reply = try await core.call(PushInterface.send, request(payload, to: owner))
                output.print(reply, or: "push \(reply.pushID.rawValue) accepted")
                pushID = reply.pushID
                EventLoop.start {
                    await stop.wait()
                    let reason = "the outcome of push \(reply.pushID.rawValue) is unknown"
                    source.finish(throwing: CommandError(reason))
                }
            }
            guard let event = update.event, case .pushFinished(let finished, let outcome, _) = event,
                finished == pushID
            else { continue }
            switch outcome {
            case .answered: return output.print(update, or: Wording.line(event))
            case .unknown, .failed, .unanswered, .undeliverable:
                if output.json { Terminal.print(update) }
                throw CommandError(Wording.line(event))
            }
        }
    }

    private func request(_ payload: String, to owner: ApplicationID?) throws -> PushInterface.SendRequest {
        guard let topic = topic ?? owner.map({ $0.rawValue + ".voip-ptt" }) else {
            throw CommandError("the push has no recipient: no channel of an application is joined")
        }
        return PushInterface.SendRequest(
            token: PushToken(rawValue: token),
            topic: topic,
            type: "pushtotalk",
            priority: priority ?? (serviceUpdate ? 5 : 10),
            expiration: expiration,
            payload: payload
        )
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
