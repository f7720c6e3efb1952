import EventLoop
import PTTCore
import PTTMessages
import Varlink

/// `org.pushtotalk.Application`
extension CoreService {
    func takeApplicationCall(_ call: VarlinkCall) throws(VarlinkError) {
        switch call.method {
        case "Attach":
            guard call.wantsMore else { throw .expectedMore }
            let request: ApplicationInterface.AttachRequest = try call.decode()
            let processID = Int(call.connection.processID)
            self.request(.attach(request, processID: processID, newToken: .draw()), for: call)
        case "UseAttachment":
            let request: ApplicationInterface.UseAttachmentRequest = try call.decode()
            use(request.callToken, call)
        case "SetForeground":
            let request: ApplicationInterface.ForegroundRequest = try call.request()
            self.request(.setForeground(request), for: call)
        case "SetServiceStatus":
            let request: ApplicationInterface.ServiceStatusRequest = try call.request()
            self.request(.setServiceStatus(request), for: call)
        case "SetTransmissionMode":
            let request: ApplicationInterface.TransmissionModeRequest = try call.request()
            self.request(.setTransmissionMode(request), for: call)
        case "SetAccessoryEventsEnabled":
            let request: ApplicationInterface.AccessoryEventsRequest = try call.request()
            self.request(.setAccessoryEvents(request), for: call)
        case "SetActiveRemoteParticipant":
            let request: ApplicationInterface.ParticipantRequest = try call.request()
            self.request(.setParticipant(request), for: call)
        case "FinishPush":
            let request: ApplicationInterface.FinishPushRequest = try call.request()
            self.request(.finishPush(request), for: call)
        default:
            // The server answers methods that the interface text does not have.
            call.fail(.methodNotFound("\(call.interface).\(call.method)"))
        }
    }

    private func use(_ token: String, _ call: VarlinkCall) {
        if clients.use(token, from: call.connection) { return call.reply() }
        let refusal = Refusal(
            .unknown,
            "the call token is unknown or used up, or this connection has been used for something else"
        )
        note(refusal, for: call)
        call.fail(VarlinkError(ApplicationInterface.refused, encoded(refusal)))
    }
}
