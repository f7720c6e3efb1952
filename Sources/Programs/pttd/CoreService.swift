import EventLoop
import JSON
import Logging
import PTTCore
import PTTMessages
import Varlink

/// The socket of the core: turns calls of `org.pushtotalk.Channel` into events, and what is published into answers of
/// `Subscribe`.
@EventLoop
final class CoreService {
    private let host: CoreHost
    private let audio: AudioSocket
    private let log: Logger
    private var server: VarlinkServer?
    private var clients: [VarlinkConnection.Identifier: ClientID] = [:]
    private var lastClient = 0
    private var subscribers: [VarlinkConnection.Identifier: VarlinkCall] = [:]

    init(host: CoreHost, audio: AudioSocket, adopting listening: consuming OwnedDescriptor, log: Logger)
        throws(SystemError)
    {
        self.host = host
        self.audio = audio
        self.log = log
        let info = VarlinkServiceInfo(
            vendor: Product.name,
            product: "pttd",
            version: Product.version,
            url: ""
        )
        let interface = VarlinkInterface(CoreInterface.description) { [weak self] in self?.handle($0) }
        let server = VarlinkServer(info, [interface], log: { log.warning("core socket: \($0)") })
        try server.listen(on: listening)
        self.server = server
        host.publish = { [weak self] in self?.publish($0, $1, $2) }
    }

    /// Takes no further connections and ends the present ones.
    func close() {
        server?.stop()
        server = nil
    }

    private func handle(_ call: VarlinkCall) {
        do throws(VarlinkError) {
            switch call.method {
            case "Join": try join(call)
            case "Leave": try leave(call)
            case "SetDescriptor": try setDescriptor(call)
            case "BeginTransmitting": try begin(call)
            case "EndTransmitting": try end(call)
            case "GetStatus": call.reply(encoded(CoreInterface.StatusReply(status: host.status)))
            case "Subscribe": subscribe(call)
            // The server answers methods that the interface text does not have.
            default: call.fail(.methodNotFound("\(CoreInterface.name).\(call.method)"))
            }
        } catch {
            call.fail(error)
        }
    }

    private func join(_ call: VarlinkCall) throws(VarlinkError) {
        let request: CoreInterface.JoinRequest = try call.decode()
        let client = client(of: call.connection)
        var generator = SystemRandomNumberGenerator()
        let fresh = ChannelID(randomBytes: (generator.next(), generator.next()))
        ask(call) {
            .joinRequested($0, client, processID: Int(call.connection.processID), request, fresh: fresh)
        }
    }

    private func leave(_ call: VarlinkCall) throws(VarlinkError) {
        let request: CoreInterface.LeaveRequest = try call.decode()
        let client = client(of: call.connection)
        ask(call) { .leaveRequested($0, client, request.channelID) }
    }

    private func setDescriptor(_ call: VarlinkCall) throws(VarlinkError) {
        let request: CoreInterface.DescriptorRequest = try call.decode()
        let client = client(of: call.connection)
        ask(call) { .descriptorRequested($0, client, request) }
    }

    private func begin(_ call: VarlinkCall) throws(VarlinkError) {
        let request: CoreInterface.BeginRequest = try call.decode()
        let client = client(of: call.connection)
        ask(call) { .beginRequested($0, client, request) }
    }

    private func end(_ call: VarlinkCall) throws(VarlinkError) {
        let request: CoreInterface.EndRequest = try call.decode()
        let client = client(of: call.connection)
        ask(call) { .endRequested($0, client, request) }
    }

    private func ask(_ call: VarlinkCall, _ event: (RequestID) -> TalkSession.Event) {
        host.request(event) { [weak self] answer in self?.answer(call, answer) }
    }

    private func answer(_ call: VarlinkCall, _ answer: TalkSession.Answer) {
        switch answer {
        case .joined(let channelID, let format, let isApplication):
            let token = isApplication ? audio.issueToken(to: client(of: call.connection)) : nil
            call.reply(encoded(CoreInterface.JoinReply(channelID: channelID, token: token, format: format)))
        case .began(let transmissionID):
            call.reply(encoded(CoreInterface.BeginReply(transmissionID: transmissionID)))
        case .done:
            call.reply()
        case .refused(let refusal):
            call.fail(VarlinkError(CoreInterface.refused, encoded(refusal)))
        }
    }

    /// A connection becomes a client of the machine with its first request, and the machine hears of its end.
    private func client(of connection: VarlinkConnection) -> ClientID {
        let identifier = connection.identifier
        if let client = clients[identifier] { return client }
        lastClient += 1
        let client = ClientID(rawValue: lastClient)
        clients[identifier] = client
        connection.onClose { [weak self] in
            guard let self else { return }
            clients.removeValue(forKey: identifier)
            host.post(.clientDisconnected(client))
            audio.revoke(client)
        }
        return client
    }

    // MARK: Subscription

    private func subscribe(_ call: VarlinkCall) {
        guard call.wantsMore else { return call.fail(.expectedMore) }
        let identifier = call.connection.identifier
        subscribers[identifier] = call
        call.connection.onClose { [weak self] in self?.subscribers.removeValue(forKey: identifier) }
        let now = MonotonicTime(nanoseconds: MonotonicInstant.now.nanoseconds)
        send(
            CoreInterface.Update(
                sequence: host.sequence,
                time: now.microseconds,
                status: host.status,
                event: nil
            ),
            to: [call]
        )
    }

    private func publish(_ event: CoreEvent, _ sequence: Int, _ time: MonotonicTime) {
        guard !subscribers.isEmpty else { return }
        let update = CoreInterface.Update(
            sequence: sequence,
            time: time.microseconds,
            status: nil,
            event: event
        )
        send(update, to: Array(subscribers.values))
    }

    private func send(_ update: CoreInterface.Update, to calls: [VarlinkCall]) {
        let parameters = encoded(update)
        for call in calls {
            call.reply(parameters, continues: true)
        }
    }

    private func encoded(_ value: some Encodable) -> JSONObject {
        do throws(JSONEncodingError) {
            return try JSONObject(encoding: value)
        } catch {
            // Our own messages are objects of strings and small integers, all of which JSON has forms for.
            preconditionFailure("\(error)")
        }
    }
}
