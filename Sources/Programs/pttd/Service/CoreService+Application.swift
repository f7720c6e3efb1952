import EventLoop
import PTTCore
import PTTMessages
import Varlink

/// `org.pushtotalk.Application`
extension CoreService {
    func takeApplicationCall(_ call: VarlinkCall) throws(VarlinkError) {
        let client = { [clients] in clients.client(of: call.connection) }
        switch call.method {
        case "Attach":
            guard call.wantsMore else { throw .expectedMore }
            let request: ApplicationInterface.AttachRequest = try call.decode()
            let processID = Int(call.connection.processID)
            ask(call) { .attachRequested($0, client(), processID: processID, request, fresh: .draw()) }
        case "UseAttachment":
            let request: ApplicationInterface.UseAttachmentRequest = try call.decode()
            use(request.callToken, call)
        case "SetForeground":
            let request: ApplicationInterface.ForegroundRequest = try call.request()
            ask(call) { .foregroundRequested($0, client(), isForeground: request.isForeground) }
        case "SetServiceStatus":
            let request: ApplicationInterface.ServiceStatusRequest = try call.request()
            ask(call) { .serviceStatusRequested($0, client(), request) }
        case "SetTransmissionMode":
            let request: ApplicationInterface.TransmissionModeRequest = try call.request()
            ask(call) { .transmissionModeRequested($0, client(), request) }
        case "SetAccessoryEventsEnabled":
            let request: ApplicationInterface.AccessoryEventsRequest = try call.request()
            ask(call) { .accessoryEventsRequested($0, client(), request) }
        case "SetActiveRemoteParticipant":
            let request: ApplicationInterface.ParticipantRequest = try call.request()
            ask(call) { .participantRequested($0, client(), request) }
        case "FinishPush":
            let request: ApplicationInterface.FinishPushRequest = try call.request()
            ask(call) { .finishPushRequested($0, client(), request) }
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
