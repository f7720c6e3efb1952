import EventLoop
package import PTTMessages

/// The methods of `org.pushtotalk.Application`; ``ApplicationInterface/description`` says what each does.
extension ServiceConnection {
    /// Becomes an application: the first update has the attachment, each that follows an event. The connection is
    /// taken by it; calls need another.
    ///
    /// - Parameters:
    ///   - request: Who it is.
    ///   - handler: Called in order.
    ///   - ended: Told once, when the core refuses, is lost, or this application fell behind.
    package func attach(
        _ request: ApplicationInterface.AttachRequest,
        _ handler: @escaping @EventLoop (ApplicationInterface.Update) -> Void,
        ended: @escaping @EventLoop (ServiceError) -> Void
    ) {
        let socket = socket
        subscribe(ApplicationInterface.attach, request, handler) {
            ended($0 ?? .lost(socket, reason: "the attachment ended"))
        }
    }

    /// Makes calls for the application that the token was given to. Those that follow have the number
    /// ``nextCallID``, with which the core tells what came of them.
    package func useAttachment(
        _ callToken: String,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(
            ApplicationInterface.useAttachment,
            ApplicationInterface.UseAttachmentRequest(callToken: callToken),
            then: then
        )
        nextCallID = CallID(rawValue: 1)
    }

    package func setForeground(
        _ isForeground: Bool,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(
            ApplicationInterface.setForeground,
            ApplicationInterface.ForegroundRequest(isForeground: isForeground),
            then: then
        )
    }

    package func set(
        _ request: ApplicationInterface.ServiceStatusRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(ApplicationInterface.setServiceStatus, request, then: then)
    }

    package func set(
        _ request: ApplicationInterface.TransmissionModeRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(ApplicationInterface.setTransmissionMode, request, then: then)
    }

    package func set(
        _ request: ApplicationInterface.AccessoryEventsRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(ApplicationInterface.setAccessoryEventsEnabled, request, then: then)
    }

    package func set(
        _ request: ApplicationInterface.ParticipantRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(ApplicationInterface.setActiveRemoteParticipant, request, then: then)
    }

    package func finishPush(
        _ request: ApplicationInterface.FinishPushRequest,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        send(ApplicationInterface.finishPush, request, then: then)
    }
}
