/// Has a handler called until it is dropped or cancelled.
@EventLoop
package final class Subscription {
    private var end: (@EventLoop () -> Void)?

    /// - Parameter end: Called once, when it is dropped or cancelled.
    package init(end: @escaping @EventLoop () -> Void) { self.end = end }

    isolated deinit { cancel() }

    /// The handler is not called again. Further calls do nothing.
    package func cancel() {
        let ending = end
        end = nil
        ending?()
    }
}
