package import EventLoop
import JSON

/// The connection of a client to a server.
@EventLoop
package final class VarlinkConnection {
    /// Different for all connections of this process.
    package struct Identifier: Hashable, Sendable, CustomStringConvertible {
        let number: UInt64
        package var description: String { "\(number)" }
    }

    package let identifier: Identifier
    /// For display only: the number may have been reused, or belong to another PID namespace.
    package let processID: Int32

    private let stream: MessageStream
    private weak var server: VarlinkServer?
    /// A handler has a call without its last reply. Later calls stay unparsed, most of them in the kernel.
    private var isHandlingCall = false
    private(set) var hasCalled = false
    private var isHeld = false
    private lazy var holdTimer = TimerSource { [weak self] in
        self?.isHeld = false
        self?.updatePause()
    }
    private var closeHandlers: [@EventLoop () -> Void] = []
    /// The client can no longer receive replies.
    package private(set) var isClosed = false
    private var laterClose: DeferredSource?

    init(
        _ identifier: Identifier,
        processID: Int32,
        stream: MessageStream,
        of server: VarlinkServer
    ) {
        self.identifier = identifier
        self.processID = processID
        self.stream = stream
        self.server = server
        stream.onMessage = { [unowned self] in received($0) }
        stream.onBroken = { [unowned self] in refuse("message", $0, mayAnswer: true) }
        stream.onEnd = { [weak self] _ in
            // A handler of the end may stop the server, which holds this.
            guard let self else { return }
            closed()
            self.server?.forget(self)
        }
    }

    /// Calls `handler` once when the client has disconnected: in the same turn of the loop, or in the next
    /// one if this process closes. A connection that is closed already calls it before this returns.
    package func onClose(_ handler: @escaping @EventLoop () -> Void) {
        if isClosed { return handler() }
        closeHandlers.append(handler)
    }

    /// The order in which clients are served that wait at the same time; ``Priority/idle`` unless set.
    package var priority: Priority {
        get { stream.priority }
        set { stream.priority = newValue }
    }

    /// Messages that the client has not read, beyond what the kernel keeps for it.
    package var unreadMessages: Int { stream.unsentMessages }

    /// Handles the next call of the client after `time` at the earliest. Replies are not delayed.
    package func hold(for time: Duration) {
        isHeld = true
        holdTimer.arm(after: time)
        updatePause()
    }

    /// Closes the connection after all replies so far are sent.
    package func close() {
        close(after: nil)
    }

    // MARK: Replies

    /// Sends a reply; after the last one the next call may be handled.
    func send(_ reply: OutgoingMessage, to call: VarlinkCall, isLast: Bool) {
        guard !isClosed else { return }
        if !call.isOneway, !stream.send(reply) {
            report("it does not read its replies")
            close(after: VarlinkError("\(call.interface).SubscriberLagged"))
        }
        guard isLast else { return }
        isHandlingCall = false
        updatePause()
    }

    func callWasDropped(_ call: String) {
        guard !isClosed else { return }
        report("no handler replied to \(call)")
        close()
    }

    // MARK: Calls

    private func received(_ message: JSON) {
        let call: CallMessage
        do throws(VarlinkProtocolError) {
            call = try CallMessage(message)
        } catch {
            return refuse(error.key, error.description, mayAnswer: message.object?["oneway"] != true)
        }
        isHandlingCall = true
        hasCalled = true
        server?.dispatch(call, from: self)
        updatePause()
    }

    /// The next call is handled after the last reply to this one has been sent.
    private func updatePause() {
        if !isHandlingCall, stream.hasUnsentOutput {
            stream.onDrained = { [unowned self] in updatePause() }
        }
        stream.isPaused = isHeld || isHandlingCall || stream.hasUnsentOutput
    }

    // MARK: End

    /// Closes immediately and calls the close handlers.
    func cancel() {
        stream.cancel()
        closed()
    }

    private func refuse(_ key: String, _ reason: String, mayAnswer: Bool) {
        report("it sent \(reason)")
        // Replies come in the order of calls, so an error now would seem to belong to an earlier call.
        close(after: mayAnswer && !isHandlingCall ? .invalidParameter(key) : nil)
        closed()
    }

    private func report(_ reason: String) {
        server?.log("closed the connection of process \(processID): \(reason)", processID)
    }

    private func close(after error: VarlinkError?) {
        stream.close(after: error.map { .error($0) })
        guard laterClose == nil else { return }
        let later = DeferredSource { [weak self] in self?.closed() }
        later.trigger()
        laterClose = later
    }

    private func closed() {
        guard !isClosed else { return }
        isClosed = true
        laterClose = nil
        if isHeld { holdTimer.disarm() }
        let handlers = closeHandlers
        closeHandlers = []
        for handler in handlers { handler() }
    }
}
