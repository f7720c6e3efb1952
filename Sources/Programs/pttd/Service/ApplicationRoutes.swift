import EventLoop
import JSON
import PTTCore
import PTTMessages
import Varlink

/// `org.pushtotalk.Application`
extension CoreService {
    static var applicationRoutes: [Route] {
        [
            .direct(ApplicationInterface.attach) { service, call throws(VarlinkError) in
                try service.attach(call)
            },
            .direct(ApplicationInterface.useAttachment) { service, call throws(VarlinkError) in
                try service.useAttachment(call)
            },
            .request(ApplicationInterface.setForeground) { request, _ in .setForeground(request) },
            .request(ApplicationInterface.setServiceStatus) { request, _ in .setServiceStatus(request) },
            .request(ApplicationInterface.setTransmissionMode) { request, _ in .setTransmissionMode(request)
            },
            .request(ApplicationInterface.setAccessoryEventsEnabled) { request, _ in
                .setAccessoryEvents(request)
            },
            .request(ApplicationInterface.setActiveRemoteParticipant) { request, _ in .setParticipant(request)
            },
            .request(ApplicationInterface.finishPush) { request, _ in .finishPush(request) },
        ]
    }

    private func attach(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.wantsMore else { throw .expectedMore }
        let request = try call.decode(ApplicationInterface.AttachRequest.self)
        let processID = Int(call.connection.processID)
        self.request(.attach(request, processID: processID, newToken: .random()), for: call)
    }

    private func useAttachment(_ call: VarlinkCall) throws(VarlinkError) {
        let request = try call.decode(ApplicationInterface.UseAttachmentRequest.self)
        if clients.useAttachment(request.callToken, for: call.connection) { return call.reply() }
        let refusal = Refusal(
            .unknown,
            "the call token is unknown or used up, or this connection has been used for something else"
        )
        notifyCaller(of: call, refusal: refusal)
        call.fail(VarlinkError(ApplicationInterface.refused, .encoding(refusal)))
    }
}
