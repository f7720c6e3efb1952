internal import EventLoop
internal import Glibc
internal import JSON

/// Messages over one connected socket: what server and client have in common.
///
/// Reading fills a ``FrameDecoder``; writing goes to the socket at once and keeps what the socket did not take.
/// Nothing here waits. Ends by itself when the peer or the socket fails, at most once, through `onEnd`.
@EventLoop
final class MessageStream {
    enum End: Equatable {
        /// The peer has closed its side.
        case closedByPeer
        /// This side has closed after sending what it had to say.
        case closedHere
        case failed(SystemError)
    }

    /// Called for each message; between two calls ``isPaused`` may be set.
    var onMessage: (@EventLoop (JSON) -> Void)?
    /// The peer sends what are no messages. Nothing more is read; whoever is called closes.
    var onBroken: (@EventLoop (_ reason: String) -> Void)?
    var onEnd: (@EventLoop (End) -> Void)?

    private let descriptor: Int32
    /// Nil after the end, whoever still holds this stream.
    private var ownedDescriptor: OwnedDescriptor?
    private let limits: VarlinkLimits
    private var source: DescriptorSource?
    private var decoder: FrameDecoder
    private var output: OutputQueue
    /// Armed while a message is incomplete, or while a close waits for the peer to read.
    private var stallTimer: TimerSource?
    private var isStallTimerArmed = false
    private var isClosing = false
    private var isDecoding = false
    private var hasEnded = false

    init(adopting descriptor: consuming OwnedDescriptor, limits: VarlinkLimits) throws(SystemError) {
        self.descriptor = descriptor.value
        ownedDescriptor = consume descriptor
        self.limits = limits
        decoder = FrameDecoder(limits: limits)
        output = OutputQueue(limits: limits)
        source = try DescriptorSource(self.descriptor, .readable) { [weak self] readiness in
            self?.ready(readiness)
        }
    }

    /// While true nothing is read, so that the peer has to wait.
    var isPaused = false {
        didSet {
            guard isPaused != oldValue, !hasEnded else { return }
            updateInterest()
            if isPaused { setStallTimer(false) } else { decode() }
        }
    }

    var hasUnsentOutput: Bool { !output.isEmpty }

    /// Calls back once when all output has been taken by the socket.
    var onDrained: (@EventLoop () -> Void)?

    /// Sends a message, or keeps it until the peer reads.
    ///
    /// - Returns: Whether there was room for it; if not, it is not sent.
    func send(_ message: JSONObject) -> Bool {
        guard !hasEnded, !isClosing else { return true }
        guard output.append(message) else { return false }
        flush()
        return true
    }

    /// The same for a message that is encoded, with its NUL byte.
    func send(encoded message: [UInt8]) -> Bool {
        guard !hasEnded, !isClosing else { return true }
        guard output.append(encoded: message) else { return false }
        flush()
        return true
    }

    /// Sends `message` in place of everything that has not begun to be sent, then closes.
    func close(after message: JSONObject? = nil) {
        guard !hasEnded, !isClosing else { return }
        isClosing = true
        if let message {
            output.dropUnbegun()
            // There is room: at most one message is left.
            _ = output.append(message)
        }
        flush()
        setStallTimer(true)
    }

    /// Closes at once. `onEnd` is not called.
    func cancel() {
        hasEnded = true
        source?.cancel()
        source = nil
        stallTimer = nil
        onMessage = nil
        onBroken = nil
        onEnd = nil
        onDrained = nil
        ownedDescriptor = nil
    }

    private func end(_ end: End) {
        guard !hasEnded else { return }
        let onEnd = onEnd
        cancel()
        onEnd?(end)
    }

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        guard !hasEnded else { return }
        if isClosing, output.isEmpty { return end(.closedHere) }
        if isClosing || isPaused {
            if !readiness.isDisjoint(with: [.hungUp, .failed]) { end(.closedByPeer) }
        } else if !readiness.isDisjoint(with: [.readable, .hungUp, .failed]) {
            receive()
        }
    }

    private func updateInterest() {
        var interest: Readiness = isPaused || isClosing ? [] : .readable
        // When closing, the end comes from the loop even if all is sent, never from inside a caller.
        if !output.isEmpty || isClosing { interest.insert(.writable) }
        if source?.interest != interest { source?.interest = interest }
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

    private func decode() {
        // Messages are taken by the outermost call only: handlers may unpause from inside.
        guard !isDecoding else { return }
        isDecoding = true
        defer { isDecoding = false }
        var tookMessage = false
        do throws(FrameError) {
            while !isPaused, !isClosing, !hasEnded, let message = try decoder.next() {
                tookMessage = true
                onMessage?(message)
            }
        } catch {
            return broken(error.description)
        }
        guard !isPaused, !isClosing, !hasEnded else { return }
        // The time for a message runs from its first byte, whatever trickles in after that.
        if tookMessage || !decoder.isInsideMessage { setStallTimer(false) }
        if decoder.isInsideMessage, !isStallTimerArmed { setStallTimer(true) }
    }

    private func broken(_ reason: String) {
        isPaused = true
        onBroken?(reason)
    }

    private func setStallTimer(_ isArmed: Bool) {
        guard isArmed || isStallTimerArmed else { return }
        isStallTimerArmed = isArmed
        guard isArmed else {
            stallTimer?.disarm()
            return
        }
        let timer = stallTimer ?? TimerSource { [weak self] in self?.stalled() }
        stallTimer = timer
        timer.arm(after: limits.stallTime)
    }

    private func stalled() {
        if isClosing { return end(.closedHere) }
        broken("a message whose end did not come within \(limits.stallTime)")
    }
}

// MARK: Writing

extension MessageStream {
    private static let sendFlags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)

    private func flush() {
        while !output.isEmpty {
            let sent = output.withUnsent {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Self.sendFlags)
            }
            if sent >= 0 {
                output.remove(sent)
                continue
            }
            if errno == EINTR { continue }
            // Any error but a full socket shows at the descriptor as well, and is handled there in the loop's
            // next turn: a handler that answers must not find its connection gone half-way.
            break
        }
        updateInterest()
        if output.isEmpty, let onDrained {
            self.onDrained = nil
            onDrained()
        }
    }
}
