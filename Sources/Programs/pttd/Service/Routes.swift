import EventLoop
import JSON
import PTTCore
import PTTMessages
import Varlink

/// The methods of the core's socket: one line each for the request to the machine, and one for an answer with
/// values of its own.
extension CoreService {
    /// By the texts of their interfaces.
    static var routes: KeyValuePairs<String, [Route]> {
        [
            ChannelInterface.description: [
                .request(ChannelInterface.join) { request, call in
                    .join(
                        request,
                        processID: Int(call.connection.processID),
                        newChannelID: .random(),
                        newToken: .random()
                    )
                },
                .request(ChannelInterface.leave) { request, _ in .leave(request) },
                .request(ChannelInterface.setDescriptor) { request, _ in .setDescriptor(request) },
                .request(
                    ChannelInterface.beginTransmitting,
                    usual: ChannelInterface.BeginRequest.init(usual:)
                ) { request, _ in .begin(request) },
                .request(
                    ChannelInterface.endTransmitting,
                    usual: ChannelInterface.EndRequest.init(usual:)
                ) { request, _ in .end(request) },
                .request(ChannelInterface.reportLatch) { report, _ in .latch(report) },
                .request(ChannelInterface.reportButton) { report, _ in .report(report) },
                .request(ChannelInterface.setVolume) { request, _ in .setVolume(request) },
                .request(ChannelInterface.reportBattery) { report, _ in .reportBattery(report) },
                .direct(ChannelInterface.subscribeLevels) { service, call throws(VarlinkError) in
                    try service.subscribeLevels(call)
                },
                .direct(ChannelInterface.removeVirtualMicrophone) { service, call in
                    service.removeVirtualMicrophone(call)
                },
                .direct(ChannelInterface.getStatus) { service, call in service.getStatus(call) },
                .direct(ChannelInterface.getImage) { service, call throws(VarlinkError) in
                    try service.getImage(call)
                },
                .direct(ChannelInterface.subscribe) { service, call throws(VarlinkError) in
                    try service.subscribe(call)
                },
            ],
            ApplicationInterface.description: [
                .direct(ApplicationInterface.attach) { service, call throws(VarlinkError) in
                    try service.attach(call)
                },
                .direct(ApplicationInterface.useAttachment) { service, call throws(VarlinkError) in
                    try service.useAttachment(call)
                },
                .request(ApplicationInterface.setForeground) { request, _ in .setForeground(request) },
                .request(ApplicationInterface.setServiceStatus) { request, _ in .setServiceStatus(request) },
                .request(ApplicationInterface.setTransmissionMode) { request, _ in
                    .setTransmissionMode(request)
                },
                .request(ApplicationInterface.setAccessoryEventsEnabled) { request, _ in
                    .setAccessoryEvents(request)
                },
                .request(ApplicationInterface.setActiveRemoteParticipant) { request, _ in
                    .setParticipant(request)
                },
                .request(ApplicationInterface.finishPush) { request, _ in .finishPush(request) },
            ],
            PushInterface.description: [
                .direct(PushInterface.send) { service, call throws(VarlinkError) in try service.send(call) }
            ],
        ]
    }

    func reply(to call: VarlinkCall, with answer: TalkSession.Answer) {
        // The client may have disconnected before its call was handled: it must not be given a token any
        // more.
        guard !call.connection.isClosed else { return }
        switch answer {
        case .joined(let channelID, let format, let pushToken, let isApplication):
            replyJoined(
                to: call,
                channelID,
                format: format,
                pushToken: pushToken,
                isApplication: isApplication
            )
        case .attached(let pushToken, let format, let restored, let left, let isForeground):
            replyAttached(
                to: call,
                pushToken: pushToken,
                format: format,
                restored: restored,
                left: left,
                isForeground: isForeground
            )
        case .began(let transmissionID, let isRecording):
            subscribers.holder = call.connection.processID
            notifyCaller(of: call, refusal: nil)
            let token = isRecording ? issueRecordingToken(to: clients.client(of: call.connection)) : nil
            call.reply(
                .encoding(ChannelInterface.BeginReply(transmissionID: transmissionID, token: token))
            )
        case .accepted(let pushID):
            call.reply(.encoding(PushInterface.SendReply(pushID: pushID)))
        case .done:
            notifyCaller(of: call, refusal: nil)
            call.reply()
        case .refused(let cause):
            let refusal = cause.forClient
            notifyCaller(of: call, refusal: refusal)
            let isChannelCall = call.interface == ChannelInterface.name
            let name = isChannelCall ? ChannelInterface.refused : ApplicationInterface.refused
            call.fail(VarlinkError(name, .encoding(refusal)))
        case .rejected(let rejection):
            call.fail(VarlinkError(PushInterface.rejected, .encoding(rejection)))
        }
    }
}
