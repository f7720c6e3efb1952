import EventLoop
package import PTTMessages

/// The methods of `org.pushtotalk.Application`; ``ApplicationInterface/description`` says what each does.
extension ServiceConnection {
    /// Attaches this process as an application. The first update has the attachment, each later one an event.
    /// Calls need another connection.
    ///
    /// - Parameters:
    ///   - request: Identifies the application.
    ///   - handler: Called in order.
    ///   - ended: Called once: when the core refuses or is lost, or has closed the connection because this
    ///     process read too slowly.
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

    /// Makes this connection's calls those of the application that received the token. Each later call has
    /// the number ``nextCallID``, which the event with its result repeats.
    package func useAttachment(
        _ callToken: String,
        then: @escaping @EventLoop (Result<Void, ServiceError>) -> Void
    ) {
        let request = ApplicationInterface.UseAttachmentRequest(callToken: callToken)
        call(ApplicationInterface.useAttachment, request) { then($0.map { _ in }) }
        nextCallID = CallID(rawValue: 1)
    }
}
