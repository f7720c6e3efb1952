import EventLoop
import JSON
import Journal
import Logging
import PTTCore
import PTTMessages
import ServiceClient
import Varlink

/// The Varlink socket of the core: turns calls into requests to the machine, and the machine's events into
/// replies to `Subscribe` and `Attach`.
@EventLoop
final class CoreService {
    let host: TalkSessionHost
    let audio: AudioSocket
    let clients: ClientConnections
    private var server: VarlinkServer?
    private var allowance = EventAllowance()
    private var lastStatus: (changes: Int, unheard: [UnheardDevice], reply: JSONText)?
    /// The calls of `Subscribe` and `Attach`.
    var subscribers = SubscriberList<VarlinkCall>()
    /// The client that has an audio token for its recording. What was captured has been sent when that ends:
    /// so the end of its audio socket is the end of the recording.
    private var recordingClient: ClientID? {
        didSet {
            if let former = oldValue, former != recordingClient { audio.revoke(former) }
        }
    }
    /// The calls of `SubscribeLevels`.
    var levelSubscribers: [VarlinkConnection.Identifier: VarlinkCall] = [:]

    init(
        host: TalkSessionHost,
        audio: AudioSocket,
        adopting listening: consuming OwnedDescriptor,
        peers: RateLimitedLog
    )
        throws(SystemError)
    {
        self.host = host
        self.audio = audio
        clients = ClientConnections { client in
            host.post(.clientDisconnected(client))
            audio.revoke(client)
        }
        let server = VarlinkServer(
            VarlinkServiceInfo(vendor: Product.name, product: "pttd", version: Product.version, url: ""),
            Self.routes.map { description, routes in
                VarlinkInterface(description, methods: handlers(routes))
            },
            log: { line, process in
                peers.log(level: .warning, "core socket: \(line)", about: process)
            }
        )
        try server.listen(on: listening)
        self.server = server
        host.holdersChanged = { [weak self] in self?.holdersChanged($0) }
        host.levels.report = { [weak self] in self?.publish($0) }
        host.publish = { [weak self] in self?.publish($0, time: $1) }
        host.notify = { [weak self] in self?.notify($0, $1, time: $2) }
    }

    private func handlers(_ routes: [Route]) -> [String: VarlinkInterface.Handler] {
        let handlers = routes.map { route in
            let handler: VarlinkInterface.Handler = { [weak self] call throws(VarlinkError) in
                try self?.handle(call, by: route.handler)
            }
            return (route.method, handler)
        }
        return Dictionary(uniqueKeysWithValues: handlers)
    }

    private func holdersChanged(_ holders: [ClientID]) {
        clients.serveFirst(holders)
        if recordingClient != holders.first { recordingClient = nil }
    }

    func issueRecordingToken(to client: ClientID) -> String {
        recordingClient = client
        return audio.issueToken(to: client)
    }

    /// Stops listening and closes all connections.
    func close() {
        server?.stop()
        server = nil
    }

    private func handle(_ call: VarlinkCall, by handler: Route.Handler) throws(VarlinkError) {
        host.caller = call.connection.processID
        let sequence = host.sequence
        defer {
            host.caller = 0
            limit(call.connection, afterEvents: host.sequence - sequence)
        }
        do throws(VarlinkError) {
            try handler(self, call)
        } catch {
            let reason = "the call of \(call.method) is not valid: \(error)"
            notifyCaller(of: call, refusal: Refusal(.unknown, reason))
            throw error
        }
    }

    /// Makes a client that publishes more than its allowance wait while a subscriber does not keep up:
    /// otherwise the subscriber would lose its subscription, and an application with it the transmission. Who
    /// transmits waits only briefly for each call: one of them may end the transmission.
    private func limit(_ connection: VarlinkConnection, afterEvents count: Int) {
        let wait = allowance.charge(count, to: connection.processID, at: .now)
        guard wait > .zero,
            subscribers.inOrder.contains(where: { $0.connection.unreadMessages > Self.backlog })
        else { return }
        connection.hold(for: connection.priority == .important ? min(wait, EventAllowance.interval) : wait)
    }

    /// Messages that a subscriber may leave unread before others have to wait for it.
    private static let backlog = 32

    // MARK: Replies

    /// Makes a request of the call's client, and replies with what the machine answers.
    func request(_ request: TalkSession.Request, for call: VarlinkCall) {
        let client = clients.client(of: call.connection)
        host.request(request, from: client) { [weak self] in self?.reply(to: call, with: $0) }
    }

    /// Notifies the application that made the call, if one did, that it was carried out or, with a refusal,
    /// not: among its events, which the reply on its other connection is not.
    private func notifyCaller(of call: VarlinkCall, refusal: Refusal?) {
        guard call.interface != PushInterface.name,
            let attachment = clients.attachment(ofCaller: call.connection)
        else { return }
        send(.requestAnswered(callID: call.callID, refusal: refusal), on: attachment, time: .now)
    }

    /// Replies to a call that was carried out.
    func accept(_ call: VarlinkCall, with reply: JSONText = [:], continues: Bool = false) {
        notifyCaller(of: call, refusal: nil)
        call.reply(reply, continues: continues)
    }

    func refuse(_ call: VarlinkCall, _ refusal: Refusal) {
        notifyCaller(of: call, refusal: refusal)
        let isChannelCall = call.interface == ChannelInterface.name
        let name = isChannelCall ? ChannelInterface.refused : ApplicationInterface.refused
        call.fail(VarlinkError(name, .encoding(refusal)))
    }

    /// The reply to `GetStatus`, encoded again only after something has happened.
    func statusReply() -> JSONText {
        let unheard = host.unheardDevices
        if let lastStatus, lastStatus.changes == host.changes, lastStatus.unheard == unheard {
            return lastStatus.reply
        }
        let reply = JSONText.encoding(
            ChannelInterface.StatusReply(status: host.status, unheardDevices: unheard)
        )
        lastStatus = (host.changes, unheard, reply)
        return reply
    }

    // MARK: Events

    /// Adds a call of `Subscribe` or `Attach` to the subscribers until its connection closes.
    func add(_ call: VarlinkCall, as role: SubscriberList<VarlinkCall>.Role, kinds: [String]?) {
        let number = subscribers.add(call, as: role, processID: call.connection.processID, kinds: kinds)
        call.connection.onClose { [weak self] in self?.subscribers.remove(number) }
    }

    private func publish(_ event: CoreEvent, time: MonotonicTime) {
        guard !subscribers.isEmpty else { return }
        let update = Self.update(event, sequence: host.sequence, time: time)
        let receivers = subscribers.receivers(of: event, kind: update.eventKind)
        for call in receivers { call.reply(update, continues: true) }
    }

    /// One reply for subscribers and applications: it has only members that the updates of both interfaces
    /// have.
    static func update(_ event: CoreEvent, sequence: Int, time: MonotonicTime) -> JSONText {
        .encoding(
            ChannelInterface.Update(
                sequence: sequence,
                time: time.microseconds,
                status: nil,
                event: event
            )
        )
    }

    private func notify(_ client: ClientID, _ event: CoreEvent, time: MonotonicTime) {
        guard let attachment = clients.attachment(of: client) else { return }
        send(event, on: attachment, time: time)
    }

    private func send(_ event: CoreEvent, on attachment: VarlinkCall, time: MonotonicTime) {
        attachment.reply(Self.update(event, sequence: host.sequence, time: time), continues: true)
    }
}
