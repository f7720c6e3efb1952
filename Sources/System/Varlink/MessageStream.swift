import EventLoop
import Glibc
import JSON

/// Messages over one connected socket, for server and client.
///
/// Input goes through a ``MessageSplitter``. Output is written to the socket immediately; what the socket has
/// no room for is queued. Nothing blocks. If the peer or the socket fails, the stream ends: `onEnd` is
/// called, once at most.
@EventLoop
final class MessageStream {
    /// Called for each message. The handler may set ``isPaused``.
    var onMessage: (@EventLoop (JSON) -> Void)?
    /// The peer has sent bytes that are not a message, or exceeded a limit. Nothing more is read; the handler
    /// closes.
    var onBroken: (@EventLoop (_ reason: String) -> Void)?
    /// Receives nil where one of the sides has closed.
    var onEnd: (@EventLoop (_ failure: SystemError?) -> Void)?
    /// Called once when the socket has accepted all output.
    var onDrained: (@EventLoop () -> Void)?

    private let descriptor: Int32
    /// Nil after the end, also while this stream is still referenced.
    private var ownedDescriptor: OwnedDescriptor?
    private let limits: VarlinkLimits
    private let budget: BufferBudget?
    private var source: DescriptorSource?
    private var decoder: MessageSplitter
    private var output: OutputQueue
    /// Runs while a message is incomplete, or while a close waits for the peer to read.
    private lazy var stall = TimerSource { [unowned self] in stalled() }
    /// The end follows when all output is sent; nothing is read any more.
    private var isClosing = false
    private var failure: SystemError?
    /// Set by ``giveUp(_:)``.
    private var hasGivenUp = false
    /// An end that must not be reported from within a call to this stream.
    private var nextTurn: DeferredSource?
    private var isDecoding = false
    private var hasEnded = false
    private lazy var turns = TurnLimit(limits.messagesPerTurn) { [unowned self] in
        renewTurns()
        decode()
    }

    /// Uses a connected socket. The budget is of memory that this and other connections share.
    ///
    /// - Throws: If the descriptor cannot be watched.
    init(
        adopting descriptor: consuming OwnedDescriptor,
        limits: VarlinkLimits,
        priority: Priority = .normal,
        budget: BufferBudget? = nil
    ) throws(SystemError) {
        self.descriptor = descriptor.value
        ownedDescriptor = consume descriptor
        self.limits = limits
        self.priority = priority
        self.budget = budget
        decoder = MessageSplitter(limits: limits)
        output = OutputQueue(limits: limits)
        source = try DescriptorSource(self.descriptor, .readable, priority: priority) { [weak self] in
            self?.ready($0)
        }
    }

    /// The order in which peers are served that wait at the same time. A peer that sends many messages in a
    /// row has ``Priority/idle`` in between.
    var priority: Priority {
        didSet { if !turns.isWaiting { source?.priority = priority } }
    }

    /// While true nothing is read, and the peer has to wait.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue, !hasEnded, !isClosing else { return }
            if isPaused { return stall.disarm() }
            updateInterest(isReading: true)
            decode()
        }
    }

    var hasUnsentOutput: Bool { !output.isEmpty }

    /// Messages that wait for the peer to read.
    var unsentMessages: Int { output.count }

    /// Sends a message, or queues it until the peer reads.
    ///
    /// - Returns: False if the queue is full; the message is then dropped.
    func send(_ message: OutgoingMessage) -> Bool {
        guard !hasEnded, !isClosing, !hasGivenUp else { return true }
        guard output.append({ message.write(to: &$0) }) else { return false }
        flush()
        return true
    }

    /// Sends `message` in place of all messages that have not begun to be sent, then closes.
    func close(after message: OutgoingMessage? = nil) {
        guard !hasEnded, !isClosing else { return }
        isClosing = true
        decoder = MessageSplitter(limits: limits)
        if let message {
            output.dropUnbegun()
            // This cannot fail: at most one message is left in the queue.
            _ = output.append { message.write(to: &$0) }
        }
        flush()
        stall.arm(after: limits.stallTime)
    }

    /// Closes immediately. `onEnd` is not called.
    func cancel() {
        hasEnded = true
        source?.cancel()
        source = nil
        stall.disarm()
        nextTurn = nil
        turns.cancel()
        onMessage = nil
        onBroken = nil
        onEnd = nil
        onDrained = nil
        ownedDescriptor = nil
        updateBudget()
    }

    /// Frees the memory of the stream for other connections, and calls `onBroken` in the next turn of the
    /// loop.
    func giveUp(_ reason: String) {
        guard !hasEnded, !hasGivenUp else { return }
        decoder = MessageSplitter(limits: limits)
        output.dropUnbegun()
        // After half a message nothing can be sent any more.
        let isCutShort = output.extraBytes > 0
        if isCutShort { output.removeAll() }
        hasGivenUp = true
        inNextTurn { [weak self] in
            if isCutShort { self?.isClosing = true }
            self?.broken("or did not read \(reason)")
            if isCutShort { self?.end() }
        }
    }

    private func inNextTurn(_ work: @escaping @EventLoop () -> Void) {
        let nextTurn = DeferredSource(handler: work)
        nextTurn.trigger()
        self.nextTurn = nextTurn
    }

    private func end() {
        guard !hasEnded else { return }
        let onEnd = onEnd
        cancel()
        onEnd?(failure)
    }

    private func ready(_ readiness: Readiness) {
        if turns.isWaiting { renewTurns() }
        if readiness.contains(.writable) { flush() }
        guard !hasEnded else { return }
        let isGone = !readiness.isDisjoint(with: [.hungUp, .failed])
        if isClosing {
            if output.isEmpty || isGone { end() }
        } else if isPaused || hasGivenUp {
            // Readable means bytes or the end of the stream: only peeking tells them apart.
            if isGone || (readiness.contains(.readable) && Received.isEnd(descriptor)) {
                return end()
            }
            updateInterest(isReading: false)
        } else if decoder.hasNext() {
            decode()
        } else if isGone || readiness.contains(.readable) {
            receive()
        }
    }

    /// Interest in reading ends only when bytes arrive that must not be read yet: a call that is answered
    /// soon costs no extra system call.
    private func updateInterest(isReading: Bool? = nil) {
        guard let source else { return }
        var interest: Readiness = isReading ?? source.interest.contains(.readable) ? .readable : []
        if isClosing { interest = [] }
        // When closing, the loop reports the end even if all output is sent, so never from within a call.
        if !output.isEmpty || isClosing { interest.insert(.writable) }
        if source.interest != interest { source.interest = interest }
    }

    private func updateBudget() {
        guard let budget, !hasGivenUp else { return }
        budget.set(hasEnded ? 0 : decoder.extraBytes + output.extraBytes, of: self)
    }
}

// MARK: Reading

extension MessageStream {
    private func receive() {
        var received = Received.nothing
        decoder.fill { room in
            received = Received(from: descriptor, into: room)
            if case .bytes(let count) = received { return count }
            return 0
        }
        switch received {
        case .nothing: break
        case .bytes: decode()
        case .end: end()
        case .descriptors:
            broken("a message with file descriptors, which Varlink does not have")
        case .failed(let code):
            if code != ECONNRESET { failure = SystemError("receive", code) }
            end()
        }
    }

    private var mayDecode: Bool {
        !isPaused && !turns.isWaiting && !isClosing && !hasGivenUp && !hasEnded
    }

    private func decode() {
        // Only the outermost call handles messages: a handler may end the pause.
        guard !isDecoding else { return }
        isDecoding = true
        defer { isDecoding = false }
        turns.startTurn()
        var hasDecoded = false
        do throws(VarlinkProtocolError) {
            while mayDecode, let message = try nextMessage() {
                hasDecoded = true
                onMessage?(message)
            }
        } catch {
            return broken(error.description)
        }
        // A read without a complete message counts too: a peer that sends byte by byte has no more turns than
        // others.
        if !hasDecoded { turns.count() }
        updateBudget()
        guard mayDecode else { return }
        // The time limit of a message begins with its first byte; later bytes do not extend it.
        if hasDecoded || !decoder.isInsideMessage { stall.disarm() }
        if decoder.isInsideMessage, !stall.isArmed { stall.arm(after: limits.stallTime) }
    }

    private func nextMessage() throws(VarlinkProtocolError) -> JSON? {
        guard !turns.isSpent else {
            turns.isWaiting = true
            source?.priority = .idle
            if decoder.hasNext() { turns.resumeLater() }
            return nil
        }
        guard let message = try decoder.next() else { return nil }
        turns.count()
        return message
    }

    private func renewTurns() {
        turns.renew()
        source?.priority = priority
    }

    private func broken(_ reason: String) {
        isPaused = true
        onBroken?(reason)
    }

    private func stalled() {
        if isClosing { return end() }
        broken("a message that was not complete within \(limits.stallTime)")
    }
}

// MARK: Writing

extension MessageStream {
    private func flush() {
        if let code = output.send(to: descriptor) { fail(code) }
        updateInterest()
        updateBudget()
        if output.isEmpty, !isClosing, let onDrained {
            self.onDrained = nil
            onDrained()
        }
    }

    /// The peer accepts no more output. The descriptor need not report that: after the peer's shutdown(2) for
    /// reading it stays writable. The end is deferred, since a handler that is replying must not lose its
    /// connection meanwhile.
    private func fail(_ code: Int32) {
        output.removeAll()
        if code != EPIPE, code != ECONNRESET { failure = SystemError("send", code) }
        isClosing = true
        inNextTurn { [weak self] in self?.end() }
    }
}
