import EventLoop
import Glibc
import JSON

/// Messages over one connected socket: what server and client have in common.
///
/// Reading fills a ``FrameDecoder``; writing goes to the socket at once and keeps what the socket did not take.
/// Nothing here waits. Ends by itself when the peer or the socket fails, at most once, through `onEnd`.
@EventLoop
final class MessageStream {
    /// Called for each message; between two calls ``isPaused`` may be set.
    var onMessage: (@EventLoop (JSON) -> Void)?
    /// The peer sends what are no messages. Nothing more is read; whoever is called closes.
    var onBroken: (@EventLoop (_ reason: String) -> Void)?
    var onEnd: (@EventLoop (End) -> Void)?
    /// Calls back once when all output has been taken by the socket.
    var onDrained: (@EventLoop () -> Void)?

    private let descriptor: Int32
    /// Nil after the end, whoever still holds this stream.
    private var ownedDescriptor: OwnedDescriptor?
    private let limits: VarlinkLimits
    private let budget: BufferBudget?
    private var source: DescriptorSource?
    private var decoder: FrameDecoder
    private var output: OutputQueue
    /// Runs while a message is incomplete, or while a close waits for the peer to read.
    private lazy var stall = StallTimer(limits.stallTime) { [unowned self] in stalled() }
    /// How it will end once all is sent; nothing is read any more.
    private var closing: End?
    /// Set when this stream had to leave its memory to others.
    private var hasGivenUp = false
    /// An end that is not to come from inside a caller.
    private var nextTurn: DeferredSource?
    private var isDecoding = false
    private var hasEnded = false
    private lazy var turns = TurnLimit(limits.messagesPerTurn) { [unowned self] in
        renewTurns()
        decode()
    }

    /// - Parameters:
    ///   - descriptor: A connected socket.
    ///   - limits: What the peer may ask of this process.
    ///   - priority: When the peer is served while others wait too.
    ///   - budget: For the memory that this and other connections may hold together.
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
        decoder = FrameDecoder(limits: limits)
        output = OutputQueue(limits: limits)
        source = try DescriptorSource(self.descriptor, .readable, priority: priority) { [weak self] in
            self?.ready($0)
        }
    }

    /// When the peer is served while others wait too. Who sends many messages in a row is served as ``Priority/idle``
    /// in between.
    var priority: Priority {
        didSet { if !turns.isWaiting { source?.priority = priority } }
    }

    /// While true nothing is read, so that the peer has to wait.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue, !hasEnded, closing == nil else { return }
            if isPaused { return stall.stop() }
            updateInterest(isReading: true)
            decode()
        }
    }

    var hasUnsentOutput: Bool { !output.isEmpty }

    /// Sends a message, or keeps it until the peer reads.
    ///
    /// - Returns: Whether there was room for it; if not, it is not sent.
    func send(_ message: JSONObject) -> Bool { send { $0.append(message) } }

    /// The same for a message that is encoded, with its NUL byte.
    func send(encoded message: [UInt8]) -> Bool { send { $0.append(encoded: message) } }

    private func send(_ append: (inout OutputQueue) -> Bool) -> Bool {
        guard !hasEnded, closing == nil, !hasGivenUp else { return true }
        guard append(&output) else { return false }
        flush()
        return true
    }

    /// Sends `message` in place of everything that has not begun to be sent, then closes.
    func close(after message: JSONObject? = nil) {
        guard !hasEnded, closing == nil else { return }
        closing = .closedHere
        decoder = FrameDecoder(limits: limits)
        if let message {
            output.dropUnbegun()
            // There is room: at most one message is left.
            _ = output.append(message)
        }
        flush()
        stall.stop()
        stall.start()
    }

    /// Closes at once. `onEnd` is not called.
    func cancel() {
        hasEnded = true
        source?.cancel()
        source = nil
        stall.stop()
        nextTurn = nil
        turns.cancel()
        onMessage = nil
        onBroken = nil
        onEnd = nil
        onDrained = nil
        ownedDescriptor = nil
        account()
    }

    /// Leaves its memory to others, and breaks in the next turn of the loop.
    func giveUp(_ reason: String) {
        guard !hasEnded, !hasGivenUp else { return }
        decoder = FrameDecoder(limits: limits)
        output.dropUnbegun()
        // Behind half a message nothing can be said any more.
        let isCutShort = output.extraBytes > 0
        if isCutShort { output.removeAll() }
        hasGivenUp = true
        inNextTurn { [weak self] in
            if isCutShort { self?.closing = .closedHere }
            self?.broken("or did not read \(reason)")
            if isCutShort { self?.end(.closedHere) }
        }
    }

    private func inNextTurn(_ work: @escaping @EventLoop () -> Void) {
        let nextTurn = DeferredSource(handler: work)
        nextTurn.trigger()
        self.nextTurn = nextTurn
    }

    private func end(_ end: End) {
        guard !hasEnded else { return }
        let onEnd = onEnd
        cancel()
        onEnd?(end)
    }

    private func ready(_ readiness: Readiness) {
        if turns.isWaiting { renewTurns() }
        if readiness.contains(.writable) { flush() }
        guard !hasEnded else { return }
        let isGone = !readiness.isDisjoint(with: [.hungUp, .failed])
        if let closing {
            if output.isEmpty || isGone { end(closing) }
        } else if isPaused || hasGivenUp {
            // Whether there are bytes or the end is told only by looking.
            if isGone || (readiness.contains(.readable) && Received.isEnd(descriptor)) {
                return end(.closedByPeer)
            }
            updateInterest(isReading: false)
        } else if decoder.hasNext() {
            decode()
        } else if isGone || readiness.contains(.readable) {
            receive()
        }
    }

    /// Reading is left out only when something has come that is not to be read yet: a call that is answered soon costs
    /// no system call for it.
    private func updateInterest(isReading: Bool? = nil) {
        guard let source else { return }
        var interest: Readiness = isReading ?? source.interest.contains(.readable) ? .readable : []
        if closing != nil { interest = [] }
        // When closing, the end comes from the loop even if all is sent, never from inside a caller.
        if !output.isEmpty || closing != nil { interest.insert(.writable) }
        if source.interest != interest { source.interest = interest }
    }

    private func account() {
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
        case .end: end(.closedByPeer)
        case .descriptors:
            broken("a message with file descriptors, which Varlink does not have")
        case .failed(let code):
            end(code == ECONNRESET ? .closedByPeer : .failed(SystemError("receive", code)))
        }
    }

    private var mayTake: Bool {
        !isPaused && !turns.isWaiting && closing == nil && !hasGivenUp && !hasEnded
    }

    private func decode() {
        // Messages are taken by the outermost call only: handlers may unpause from inside.
        guard !isDecoding else { return }
        isDecoding = true
        defer { isDecoding = false }
        turns.startTurn()
        var tookMessage = false
        do throws(FrameError) {
            while mayTake, let message = try nextMessage() {
                tookMessage = true
                onMessage?(message)
            }
        } catch {
            return broken(error.description)
        }
        // So that somebody who sends byte by byte has no more turns than others.
        if !tookMessage { turns.take() }
        account()
        guard mayTake else { return }
        // The time for a message runs from its first byte, whatever trickles in after that.
        if tookMessage || !decoder.isInsideMessage { stall.stop() }
        if decoder.isInsideMessage { stall.start() }
    }

    private func nextMessage() throws(FrameError) -> JSON? {
        guard !turns.isSpent else {
            turns.isWaiting = true
            source?.priority = .idle
            if decoder.hasNext() { turns.resumeLater() }
            return nil
        }
        guard let message = try decoder.next() else { return nil }
        turns.take()
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
        if let closing { return end(closing) }
        broken("a message whose end did not come within \(limits.stallTime)")
    }
}

// MARK: Writing

extension MessageStream {
    private func flush() {
        if let code = output.send(to: descriptor) { fail(code) }
        updateInterest()
        account()
        if output.isEmpty, closing == nil, let onDrained {
            self.onDrained = nil
            onDrained()
        }
    }

    /// The peer takes nothing any more, which the descriptor need not tell: after its shutdown(2) for reading it looks
    /// writable for ever. A handler that answers must not find its connection gone half-way.
    private func fail(_ code: Int32) {
        output.removeAll()
        let end = code == EPIPE || code == ECONNRESET ? End.closedByPeer : .failed(SystemError("send", code))
        closing = end
        inNextTurn { [weak self] in self?.end(end) }
    }
}
