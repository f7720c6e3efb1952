import EventLoop
package import PTTMessages

/// The method of `org.pushtotalk.Push`; ``PushInterface/description`` says what it does.
extension ServiceConnection {
    package func push(_ request: PushInterface.SendRequest) async throws(ServiceError) -> PushID {
        try await call(PushInterface.send, request).pushID
    }
}
