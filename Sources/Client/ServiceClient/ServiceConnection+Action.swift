import EventLoop
package import PTTMessages

/// The methods of `org.pushtotalk.Action`; ``ActionInterface/description`` says what each does.
extension ServiceConnection {
    /// A press, which the end of this connection releases.
    ///
    /// - Parameters:
    ///   - request: The button.
    ///   - handler: Called when its action begins, and when it has ended by itself.
    ///   - ended: Called once, with nil after the last event.
    package func press(
        _ request: ActionInterface.PressRequest,
        _ handler: @escaping @EventLoop (ActionInterface.Event) -> Void,
        ended: @escaping @EventLoop (ServiceError?) -> Void
    ) {
        let answered: @EventLoop (ActionInterface.PressReply) -> Void = { handler($0.event) }
        // It waits for the release before it, which the service gives up after half a minute.
        subscribe(ActionInterface.press, request, timeLimit: .seconds(40), answered, ended: ended)
    }
}
