import EventLoop
import Glibc
import JSON
import PTTCore
import PTTMessages
import ServiceClient
import Varlink

/// The methods that are not, or not only, a request to the machine.
extension CoreService {
    // MARK: org.pushtotalk.Channel

    func getStatus(_ call: VarlinkCall) {
        accept(call, with: statusReply())
    }

    func removeVirtualMicrophone(_ call: VarlinkCall) {
        host.backends.virtualMicrophone.remove { [weak self] refusal in
            guard !call.connection.isClosed else { return }
            if let refusal { self?.refuse(call, refusal) } else { self?.accept(call) }
        }
    }

    func getImage(_ call: VarlinkCall) throws(VarlinkError) {
        let request = try call.decode(ChannelInterface.ImageRequest.self)
        guard let image = host.image(request.imageID) else {
            throw VarlinkError(ChannelInterface.imageNotFound, .encoding(request))
        }
        accept(call, with: .encoding(ChannelInterface.ImageReply(image: image.base64)))
    }

    func subscribe(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.wantsMore else { throw .expectedMore }
        let request: ChannelInterface.SubscribeRequest = try call.decodeWithoutCallID()
        add(call, as: .other, kinds: request.kinds)
        let update = ChannelInterface.Update(
            sequence: host.sequence,
            time: MonotonicTime.now.microseconds,
            status: host.status,
            event: nil
        )
        accept(call, with: .encoding(update), continues: true)
    }

    func subscribeLevels(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.wantsMore else { throw .expectedMore }
        let identifier = call.connection.identifier
        levelSubscribers[identifier] = call
        host.levels.isWanted = true
        call.connection.onClose { [weak self] in
            guard let self else { return }
            levelSubscribers[identifier] = nil
            host.levels.isWanted = !levelSubscribers.isEmpty
        }
        // So that the client knows at once that it is subscribed.
        let silence = ChannelInterface.LevelReport(microphone: nil, speaker: nil)
        accept(call, with: .encoding(silence), continues: true)
    }

    func publish(_ levels: ChannelInterface.LevelReport) {
        let report = JSONText.encoding(levels)
        for call in levelSubscribers.values { call.reply(report, continues: true) }
    }

    func join(_ call: VarlinkCall) throws(VarlinkError) {
        let request: ChannelInterface.JoinRequest = try call.decodeWithoutCallID()
        let processID = Int(call.connection.processID)
        self.request(
            .join(request, processID: processID, newChannelID: .random(), newToken: .random()),
            for: call
        )
    }

    func replyJoined(
        to call: VarlinkCall,
        _ channelID: ChannelID,
        _ format: AudioFormat,
        _ pushToken: PushToken?,
        isApplication: Bool
    ) {
        let client = clients.client(of: call.connection)
        let isPlain = clients.attachment(of: client) == nil
        let reply = ChannelInterface.JoinReply(
            channelID: channelID,
            token: isApplication && isPlain ? audio.issueToken(to: client) : nil,
            format: format,
            pushToken: pushToken
        )
        accept(call, with: .encoding(reply))
    }

    // MARK: org.pushtotalk.Application

    func attach(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.wantsMore else { throw .expectedMore }
        let request = try call.decode(ApplicationInterface.AttachRequest.self)
        let processID = Int(call.connection.processID)
        self.request(.attach(request, processID: processID, newToken: .random()), for: call)
    }

    func replyAttached(
        to call: VarlinkCall,
        _ pushToken: PushToken,
        _ format: AudioFormat,
        _ restored: ApplicationInterface.Restored?,
        _ left: ApplicationInterface.Left?,
        isForeground: Bool
    ) {
        host.resetRoute()
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
        // Its request could be read before.
        let request = try? call.decode(ApplicationInterface.AttachRequest.self)
        add(call, as: .application, kinds: request?.kinds)
        call.reply(.encoding(update), continues: true)
    }

    func useAttachment(_ call: VarlinkCall) throws(VarlinkError) {
        let request = try call.decode(ApplicationInterface.UseAttachmentRequest.self)
        if clients.useAttachment(request.callToken, for: call.connection) { return call.reply() }
        let reason =
            "the call token is unknown or used up, or this connection has been used for something else"
        refuse(call, Refusal(.unknown, reason))
    }

    // MARK: org.pushtotalk.Push

    func send(_ call: VarlinkCall) throws(VarlinkError) {
        let request = try call.decode(PushInterface.SendRequest.self)
        let envelope = PushEnvelope(request: request, content: .parsed(request.payload), arrived: time(nil))
        host.push(envelope) { [weak self] in self?.reply(to: call, with: $0) }
    }
}
