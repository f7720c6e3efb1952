import EventLoop
import Glibc
import PTTMessages

/// One connection to the audio socket: it presents a token first, then packets go both ways.
@EventLoop
final class AudioConnection {
    /// The result of handling a packet of the application.
    enum Reception {
        case wantsMore
        /// Read no more until ``resume()``: the writer waits once its queue is full.
        case hasEnough
        case isMalformed(String)
    }

    /// Longer than any valid packet or token.
    private static let longestPacket = 8192
    /// The number of packets that are read in a second: four times as many as can be played. An application
    /// that writes more has to wait, and does not keep the core busy.
    private static let packetsPerSecond = 200
    /// The time in which it must present its token.
    private static let tokenTimeout = Duration.seconds(5)

    /// The peer.
    let processID: Int32
    private let descriptor: OwnedDescriptor
    private weak var socket: AudioSocket?
    private var source: DescriptorSource?
    private var deadline: TimerSource?
    private var isAttached = false
    private var isClosed = false
    private var isFull = false
    private var second = MonotonicInstant.now
    private var packetCount = 0
    private lazy var rateTimer = TimerSource { [weak self] in self?.updateInterest() }
    private var outgoing: [UInt8] = []
    private var incoming = [UInt8](repeating: 0, count: longestPacket)

    init(adopting descriptor: consuming OwnedDescriptor, from processID: Int32, of socket: AudioSocket) {
        self.descriptor = descriptor
        self.processID = processID
        self.socket = socket
    }

    // Before the descriptor closes with this object.
    isolated deinit { close() }

    /// Reads the token if it is there, and otherwise waits for it.
    func start() throws(SystemError) {
        // Most peers have sent it by now, and need no place among the connections that wait for a token. A
        // peer that has closed again costs little.
        receive()
        guard !isClosed else { return }
        source = try DescriptorSource(descriptor.value, .readable) { [weak self] in self?.ready($0) }
        guard !isAttached else { return }
        let deadline = TimerSource { [weak self] in self?.end("no token came in time") }
        deadline.arm(after: Self.tokenTimeout)
        self.deadline = deadline
    }

    /// True if the peer has closed its end, handled or not.
    var hasPeerClosed: Bool {
        var state = pollfd(fd: descriptor.value, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// Reads again after ``Reception/hasEnough``.
    func resume() {
        isFull = false
        updateInterest()
    }

    /// Discards what the peer has written so far.
    func discard() {
        guard isAttached else { return }
        // The rest of a packet is discarded with its first byte. `incoming` may be in use by the packet that
        // caused this.
        var byte: UInt8 = 0
        for _ in 0..<Self.packetsPerSecond {
            // `receive` meets the end of the connection and errors again, and reports them.
            guard recv(descriptor.value, &byte, 1, Int32(MSG_DONTWAIT)) > 0 else { return }
        }
    }

    func close() {
        isClosed = true
        source?.cancel()
        source = nil
        deadline?.disarm()
        deadline = nil
        rateTimer.disarm()
    }

    /// - Returns: False if the peer has closed. A packet that does not fit into its queue counts as sent.
    func send(_ header: AudioPacketHeader, _ samples: UnsafeRawBufferPointer) -> Bool {
        outgoing.removeAll(keepingCapacity: true)
        outgoing.append(contentsOf: header.bytes)
        outgoing.append(contentsOf: samples)
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        let sent = Glibc.send(descriptor.value, outgoing, outgoing.count, flags)
        return sent >= 0 || errno == EAGAIN || errno == ENOBUFS
    }

    private func end(_ reason: String) { socket?.drop(self, reason) }

    private func ready(_ readiness: Readiness) {
        // A paused connection is called for these only, and repeatedly until its source is cancelled.
        if source?.interest != .readable, !readiness.isDisjoint(with: [.hungUp, .failed]) {
            return end("the peer closed its connection")
        }
        receive()
    }

    /// Reads one packet in each turn of the event loop, so that a writer cannot keep it busy.
    private func receive() {
        let count = recv(descriptor.value, &incoming, incoming.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
        guard count > 0 else {
            if count < 0 && errno == EAGAIN { return }
            return end("the peer closed its connection")
        }
        guard count <= incoming.count else { return end("the peer sent a packet of \(count) bytes") }
        guard isAttached else {
            isAttached = true
            deadline?.disarm()
            socket?.attach(self, Array(incoming.prefix(count)))
            return
        }
        let reception = incoming.withUnsafeBytes {
            socket?.received(UnsafeRawBufferPointer(rebasing: $0[..<count]), from: self)
        }
        switch reception {
        case .wantsMore, nil: break
        case .hasEnough: isFull = true
        case .isMalformed(let reason): return end(reason)
        }
        packetCount += 1
        updateInterest()
    }

    private func updateInterest() {
        let now = MonotonicInstant.now
        if now - second >= .seconds(1) { (second, packetCount) = (now, 0) }
        let isOverRate = packetCount >= Self.packetsPerSecond
        if isOverRate { rateTimer.arm(at: second + .seconds(1)) }
        let interest: Readiness = isFull || isOverRate ? [] : .readable
        if source?.interest != interest { source?.interest = interest }
    }
}
