import EventLoop
import JSON
import Journal
import Logging
import PTTCore
import PTTMessages
import Varlink

/// The socket of the core: turns calls into events, and what is published or told into answers of `Subscribe` and
/// `Attach`.
@EventLoop
final class CoreService {
    let host: TalkSessionHost
    let audio: AudioSocket
    let clients: Clients
    private var server: VarlinkServer?
    private var lastStatus: (changes: Int, reply: PreparedReply)?
    /// Who subscribed, and the attachments of applications.
    private var audience = Audience<VarlinkConnection.Identifier, VarlinkCall>()

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
        clients = Clients { client in
            host.post(.clientDisconnected(client))
            audio.revoke(client)
        }
        let server = VarlinkServer(
            VarlinkServiceInfo(vendor: Product.name, product: "pttd", version: Product.version, url: ""),
            [
                interface(
                    ChannelInterface.description,
                    [
                        "Join", "Leave", "SetDescriptor", "GetImage", "BeginTransmitting", "EndTransmitting",
                        "GetStatus", "Subscribe",
                    ]
                ),
                interface(
                    ApplicationInterface.description,
                    [
                        "Attach", "UseAttachment", "SetForeground", "SetServiceStatus", "SetTransmissionMode",
                        "SetAccessoryEventsEnabled", "SetActiveRemoteParticipant", "FinishPush",
                    ]
                ),
                interface(PushInterface.description, ["Send"]),
            ],
            log: { line, process in
                peers.log(level: .warning, "core socket: \(line)", about: process)
            }
        )
        try server.listen(on: listening)
        self.server = server
        host.holdersChanged = { [clients] in clients.serveFirst($0) }
        host.publish = { [weak self] in self?.publish($0, $1, $2) }
        host.notify = { [weak self] in self?.notify($0, $1, $2, $3) }
    }

    private func interface(_ description: String, _ methods: [String]) -> VarlinkInterface {
        let handler: VarlinkInterface.Handler = { [weak self] in self?.take($0) }
        return VarlinkInterface(
            description,
            methods: Dictionary(uniqueKeysWithValues: methods.map { ($0, handler) })
        )
    }

    /// Takes no further connections and ends the present ones.
    func close() {
        server?.stop()
        server = nil
    }

    private func take(_ call: VarlinkCall) {
        host.caller = call.connection.processID
        defer { host.caller = 0 }
        do throws(VarlinkError) {
            switch call.interface {
            case ChannelInterface.name: try takeChannelCall(call)
            case ApplicationInterface.name: try takeApplicationCall(call)
            default: try takePushCall(call)
            }
        } catch {
            note(Refusal(.unknown, "the call of \(call.method) makes no sense: \(error)"), for: call)
            call.fail(error)
        }
    }

    // MARK: Answers

    /// Makes a request of the call's client, and answers the call with what the machine answers.
    func request(_ request: TalkSession.Request, for call: VarlinkCall) {
        let client = clients.client(of: call.connection)
        host.request(request, from: client) { [weak self] in self?.answer(call, $0) }
        // Calls of one connection are answered in their order: an end must not wait for what takes its time.
        if call.callID != nil, call.answersNothing { call.reply() }
    }

    func answer(_ call: VarlinkCall, _ answer: TalkSession.Answer) {
        // Gone while the answer waited for the disk, and forgotten: nothing may be given out to it any more.
        guard !call.connection.isClosed else { return }
        switch answer {
        case .joined(let channelID, let format, let pushToken, let isApplication):
            note(nil, for: call)
            let client = clients.client(of: call.connection)
            let isPlain = clients.attachment(of: client) == nil
            let reply = ChannelInterface.JoinReply(
                channelID: channelID,
                token: isApplication && isPlain ? audio.issueToken(to: client) : nil,
                format: format,
                pushToken: pushToken
            )
            call.reply(encoded(reply))
        case .attached(let pushToken, let format, let restored, let left, let isForeground):
            attach(call, pushToken, format, restored, left, isForeground)
        case .began(let transmissionID):
            audience.holder = call.connection.processID
            note(nil, for: call)
            call.reply(PreparedReply(ChannelInterface.BeginReply(transmissionID: transmissionID)))
        case .accepted(let pushID):
            call.reply(encoded(PushInterface.SendReply(pushID: pushID)))
        case .done:
            note(nil, for: call)
            call.reply()
        case .refused(let refusal):
            note(refusal, for: call)
            let isChannelCall = call.interface == ChannelInterface.name
            let name = isChannelCall ? ChannelInterface.refused : ApplicationInterface.refused
            call.fail(VarlinkError(name, encoded(refusal)))
        case .rejected(let rejection):
            call.fail(VarlinkError(PushInterface.rejected, encoded(rejection)))
        }
    }

    /// Tells an application, among the events, that its call was carried out or refused.
    func note(_ refusal: Refusal?, for call: VarlinkCall) {
        guard call.interface != PushInterface.name,
            let attachment = clients.attachment(ofCaller: call.connection)
        else { return }
        send(.requestAnswered(call.callID, refusal), to: attachment)
    }

    private func attach(
        _ call: VarlinkCall,
        _ pushToken: PushToken,
        _ format: AudioFormat,
        _ restored: ApplicationInterface.Restored?,
        _ left: ApplicationInterface.Left?,
        _ isForeground: Bool
    ) {
        host.forgetRoute()
        let attachment = ApplicationInterface.Attachment(
            callToken: clients.attach(call),
            audioToken: audio.issueToken(to: clients.client(of: call.connection)),
            pushToken: pushToken,
            format: format,
            restored: restored,
            left: left,
            isForeground: isForeground,
            isAudioServerReady: host.status.isAudioServerReady
        )
        let update = ApplicationInterface.Update(
            sequence: host.sequence,
            time: MonotonicTime.now.microseconds,
            attachment: attachment,
            event: nil
        )
        add(call, .application)
        call.reply(encoded(update), continues: true)
    }

    /// Encoded when it is asked for, and again only after something has happened.
    func statusReply() -> PreparedReply {
        if let lastStatus, lastStatus.changes == host.changes { return lastStatus.reply }
        let status = encoded(ChannelInterface.StatusReply(status: host.status))
        let reply = PreparedReply(status, continues: false)
        lastStatus = (host.changes, reply)
        return reply
    }

    // MARK: Events

    private func add(_ call: VarlinkCall, _ role: Audience<VarlinkConnection.Identifier, VarlinkCall>.Role) {
        let identifier = call.connection.identifier
        audience.add(call, identifier, role, processID: call.connection.processID)
        call.connection.onClose { [weak self] in self?.audience.remove(identifier) }
    }

    func subscribe(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.wantsMore else { throw .expectedMore }
        note(nil, for: call)
        add(call, .other)
        let update = ChannelInterface.Update(
            sequence: host.sequence,
            time: MonotonicTime.now.microseconds,
            status: host.status,
            event: nil
        )
        call.reply(encoded(update), continues: true)
    }

    private func publish(_ event: CoreEvent, _ sequence: Int, _ time: MonotonicTime) {
        guard !audience.isEmpty else { return }
        let reply = Self.update(event, sequence, time)
        for call in audience.inOrder { call.reply(reply) }
    }

    /// The members that both kinds of updates have in common, and no others, are set here.
    static func update(_ event: CoreEvent, _ sequence: Int, _ time: MonotonicTime) -> PreparedReply {
        if let usual = PreparedReply(usual: event, sequence: sequence, time: time.microseconds) {
            return usual
        }
        let update = ChannelInterface.Update(
            sequence: sequence,
            time: time.microseconds,
            status: nil,
            event: event
        )
        return PreparedReply(encoded(update), continues: true)
    }

    private func notify(_ client: ClientID, _ event: CoreEvent, _ sequence: Int, _ time: MonotonicTime) {
        guard let attachment = clients.attachment(of: client) else { return }
        send(event, to: attachment, sequence, time)
    }

    private func send(_ event: CoreEvent, to call: VarlinkCall) {
        send(event, to: call, host.sequence, .now)
    }

    private func send(_ event: CoreEvent, to call: VarlinkCall, _ sequence: Int, _ time: MonotonicTime) {
        let update = ApplicationInterface.Update(
            sequence: sequence,
            time: time.microseconds,
            attachment: nil,
            event: event
        )
        call.reply(encoded(update), continues: true)
    }
}

func encoded(_ value: some Encodable) -> JSONObject { .encoding(value) }

extension MonotonicTime {
    static var now: MonotonicTime { MonotonicTime(nanoseconds: MonotonicInstant.now.nanoseconds) }
}
