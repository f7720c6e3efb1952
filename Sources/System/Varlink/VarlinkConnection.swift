package import EventLoop
import JSON

/// A client of this server.
@EventLoop
package final class VarlinkConnection {
    /// Different for all connections of this process.
    package struct Identifier: Hashable, Sendable, CustomStringConvertible {
        let number: UInt64
        package var description: String { "\(number)" }
    }

    package let identifier: Identifier
    /// For display only: it may have been reused, or belong to another PID namespace.
    package let processID: Int32

    private let stream: MessageStream
    private weak var server: VarlinkServer?
    /// A handler has a call that has not had its last answer. Those behind it stay bytes, most of them in the kernel.
    private var isAnswering = false
    private var closeHandlers: [@EventLoop () -> Void] = []
    /// Nobody is there to be answered.
    package private(set) var isClosed = false
    private var laterClose: DeferredSource?

    init(
        _ identifier: Identifier,
        _ processID: Int32,
        _ stream: MessageStream,
        of server: VarlinkServer
    ) {
        self.identifier = identifier
        self.processID = processID
        self.stream = stream
        self.server = server
        stream.onMessage = { [unowned self] in received($0) }
        stream.onBroken = { [unowned self] in refuse("message", $0, mayAnswer: true) }
        stream.onEnd = { [unowned self] _ in
            closed()
            self.server?.forget(self)
        }
    }

    /// Calls `handler` once when the client is gone: in the same turn of the loop, or in the next one if a handler
    /// of this process closes. A connection that has gone already calls it at once.
    package func onClose(_ handler: @escaping @EventLoop () -> Void) {
        if isClosed { return handler() }
        closeHandlers.append(handler)
    }

    /// When the client is served while others wait too; ``Priority/idle`` for those of whom nothing more is known.
    package var priority: Priority {
        get { stream.priority }
        set { stream.priority = newValue }
    }

    /// Ends the connection after what has been answered so far is sent.
    package func close() {
        close(after: nil)
    }

    // MARK: Answers

    func send(_ message: ReplyMessage, to call: VarlinkCall) {
        send(to: call, continues: message.continues) { stream.send(message.json) }
    }

    func send(_ prepared: PreparedReply, to call: VarlinkCall) {
        send(to: call, continues: prepared.continues) { stream.send(encoded: prepared.bytes) }
    }

    /// `write` gives the answer to the stream and says whether there was room.
    private func send(to call: VarlinkCall, continues: Bool, _ write: () -> Bool) {
        guard !isClosed else { return }
        if !call.isOneway, !write() {
            report("it does not read what it asked for")
            close(after: VarlinkError("\(call.interface).SubscriberLagged"))
        }
        guard !continues else { return }
        isAnswering = false
        updatePause()
    }

    func abandoned(_ call: String) {
        guard !isClosed else { return }
        report("nobody answers \(call)")
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
        isAnswering = true
        server?.dispatch(call, from: self)
        updatePause()
    }

    /// The next call is taken when this one is answered and its answer has been read.
    private func updatePause() {
        if !isAnswering, stream.hasUnsentOutput {
            stream.onDrained = { [unowned self] in updatePause() }
        }
        stream.isPaused = isAnswering || stream.hasUnsentOutput
    }

    // MARK: End

    /// Closes at once and tells nobody but the close handlers.
    func cancel() {
        stream.cancel()
        closed()
    }

    private func refuse(_ key: String, _ reason: String, mayAnswer: Bool) {
        report("it sent \(reason)")
        // Answers come in the order of calls, so an error now would seem to belong to an earlier call.
        close(after: mayAnswer && !isAnswering ? .invalidParameter(key) : nil)
        closed()
    }

    private func report(_ reason: String) {
        server?.report("closed the connection of process \(processID): \(reason)", about: processID)
    }

    private func close(after error: VarlinkError?) {
        stream.close(after: error.map { ReplyMessage(.failure($0)).json })
        guard laterClose == nil else { return }
        let later = DeferredSource { [weak self] in self?.closed() }
        later.trigger()
        laterClose = later
    }

    private func closed() {
        guard !isClosed else { return }
        isClosed = true
        laterClose = nil
        let handlers = closeHandlers
        closeHandlers = []
        for handler in handlers { handler() }
    }
}
