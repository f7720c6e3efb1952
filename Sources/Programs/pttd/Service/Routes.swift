import EventLoop
import JSON
import PTTCore
import PTTMessages
import Varlink

/// The methods of the core's socket, a line each, and the replies with what the machine answers.
extension CoreService {
    /// By the texts of their interfaces.
    static var routes: KeyValuePairs<String, [Route]> {
        [
            ChannelInterface.description: [
                .direct(ChannelInterface.join, CoreService.join),
                .request(ChannelInterface.leave) { .leave($0) },
                .request(ChannelInterface.setDescriptor) { .setDescriptor($0) },
                .request(ChannelInterface.beginTransmitting) { .begin($0) },
                .request(ChannelInterface.endTransmitting) { .end($0) },
                .request(ChannelInterface.reportLatch) { .latch($0) },
                .request(ChannelInterface.reportButton) { .report($0) },
                .request(ChannelInterface.setVolume) { .setVolume($0) },
                .request(ChannelInterface.reportBattery) { .reportBattery($0) },
                .direct(ChannelInterface.subscribeLevels, CoreService.subscribeLevels),
                .direct(ChannelInterface.removeVirtualMicrophone, CoreService.removeVirtualMicrophone),
                .direct(ChannelInterface.getStatus, CoreService.getStatus),
                .direct(ChannelInterface.getImage, CoreService.getImage),
                .direct(ChannelInterface.subscribe, CoreService.subscribe),
            ],
            ApplicationInterface.description: [
                .direct(ApplicationInterface.attach, CoreService.attach),
                .direct(ApplicationInterface.useAttachment, CoreService.useAttachment),
                .request(ApplicationInterface.setForeground) { .setForeground($0) },
                .request(ApplicationInterface.setServiceStatus) { .setServiceStatus($0) },
                .request(ApplicationInterface.setTransmissionMode) { .setTransmissionMode($0) },
                .request(ApplicationInterface.setAccessoryEventsEnabled) { .setAccessoryEvents($0) },
                .request(ApplicationInterface.setActiveRemoteParticipant) { .setParticipant($0) },
                .request(ApplicationInterface.finishPush) { .finishPush($0) },
            ],
            PushInterface.description: [.direct(PushInterface.send, CoreService.send)],
        ]
    }

    func reply(to call: VarlinkCall, with answer: TalkSession.Answer) {
        // The client may have disconnected before its call was handled: it must not be given a token any
        // more.
        guard !call.connection.isClosed else { return }
        switch answer {
        case .joined(let channelID, let format, let pushToken, let isApplication):
            replyJoined(to: call, channelID, format, pushToken, isApplication: isApplication)
        case .attached(let pushToken, let format, let restored, let left, let isForeground):
            replyAttached(to: call, pushToken, format, restored, left, isForeground: isForeground)
        case .began(let transmissionID, let isRecording):
            subscribers.holder = call.connection.processID
            let token = isRecording ? issueRecordingToken(to: clients.client(of: call.connection)) : nil
            accept(
                call,
                with: .encoding(ChannelInterface.BeginReply(transmissionID: transmissionID, token: token))
            )
        case .accepted(let pushID):
            call.reply(.encoding(PushInterface.SendReply(pushID: pushID)))
        case .done: accept(call)
        case .refused(let cause): refuse(call, cause.forClient)
        case .rejected(let rejection):
            call.fail(VarlinkError(PushInterface.rejected, .encoding(rejection)))
        }
    }
}
