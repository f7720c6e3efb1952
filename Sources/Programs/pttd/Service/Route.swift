import EventLoop
import PTTCore
import PTTMessages
import Varlink

/// A method of the core's socket and the handler of its calls.
struct Route {
    /// Replies before it returns or later. An error that it throws is the reply.
    typealias Handler = @EventLoop (CoreService, VarlinkCall) throws(VarlinkError) -> Void

    let method: String
    let handler: Handler

    /// A method that ``CoreService`` serves itself.
    static func direct<Request, Reply>(
        _ method: InterfaceMethod<Request, Reply>,
        _ answer: @escaping @EventLoop (CoreService) -> @EventLoop (VarlinkCall) throws(VarlinkError) -> Void
    ) -> Route {
        Route(method: method.name) { service, call throws(VarlinkError) in try answer(service)(call) }
    }

    /// A method that is a request to the machine, whose answer is the reply.
    ///
    /// Its parameters may have a `callID`. With one, a reply that has no parameters is sent before the
    /// machine answers.
    ///
    /// - Parameters:
    ///   - method: Its parameters are decoded.
    ///   - request: Makes the request of the machine.
    /// - Returns: The route.
    static func request<Request, Reply>(
        _ method: InterfaceMethod<Request, Reply>,
        _ request: @escaping @EventLoop (Request) -> TalkSession.Request
    ) -> Route {
        let replyIsEmpty = Reply.self == NoParameters.self
        return Route(method: method.name) { service, call throws(VarlinkError) in
            service.request(request(try call.decodeWithoutCallID()), for: call)
            // Calls of one connection have their replies in order: an end must not wait for a slow request
            // before it.
            if replyIsEmpty, call.callID != nil { call.reply() }
        }
    }
}
