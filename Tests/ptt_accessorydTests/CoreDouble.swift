import EventLoop
import JSON
import PTTMessages
import TestSupport
import Varlink

/// Stands in for `pttd` at its socket: grants or refuses, and tells what it was asked.
@EventLoop
final class CoreDouble {
    enum Request: Equatable, Sendable {
        case begin(String, OriginKind)
        case end(String, EndCause?)
    }

    nonisolated let requests = AsyncQueue(of: Request.self)
    var refusal: Refusal?

    private let path: String
    private var server: VarlinkServer?
    private var subscribers: [VarlinkCall] = []
    private var status = Status(timeLimit: 60)
    private var sequence = 0
    private var transmission = 0

    init(at path: String, isJoined: Bool = true) throws {
        self.path = path
        if isJoined { status.channel = CoreDouble.channel }
        try start()
    }

    static nonisolated let channel = Channel(
        channelID: ChannelID(randomBytes: (1, 2)),
        name: "Test",
        application: nil
    )

    func start() throws {
        let info = VarlinkServiceInfo(vendor: "", product: "core double", version: "", url: "")
        let interface = VarlinkInterface(ChannelInterface.description) { [weak self] call in
            do { try self?.answer(call) } catch { call.fail(.invalidParameter("\(error)")) }
        }
        let server = VarlinkServer(info, [interface]) { line, _ in print("core double: \(line)") }
        try server.listen(at: path)
        self.server = server
    }

    /// Gone at once, as after a crash.
    func stop() {
        server?.stop()
        server = nil
        subscribers = []
    }

    func publish(_ event: CoreEvent) throws {
        status.apply(event)
        sequence += 1
        let update = ChannelInterface.Update(sequence: sequence, time: 0, status: nil, event: event)
        for call in subscribers { call.reply(try JSONObject(encoding: update), continues: true) }
    }

    private func answer(_ call: VarlinkCall) throws {
        switch call.method {
        case "Subscribe":
            subscribers.append(call)
            let first = ChannelInterface.Update(sequence: sequence, time: 0, status: status, event: nil)
            call.reply(try JSONObject(encoding: first), continues: true)
        case "BeginTransmitting":
            let request = try call.decode(ChannelInterface.BeginRequest.self)
            requests.add(.begin(request.origin.identifier, request.origin.kind))
            if let refusal {
                return call.fail(VarlinkError(ChannelInterface.refused, try JSONObject(encoding: refusal)))
            }
            transmission += 1
            let reply = ChannelInterface.BeginReply(transmissionID: TransmissionID(rawValue: transmission))
            call.reply(try JSONObject(encoding: reply))
        case "EndTransmitting":
            let request = try call.decode(ChannelInterface.EndRequest.self)
            requests.add(.end(request.origin?.identifier ?? "", request.cause))
            call.reply()
        default:
            call.fail(.methodNotFound(call.method))
        }
    }
}
