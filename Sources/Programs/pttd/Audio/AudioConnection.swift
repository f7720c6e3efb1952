import EventLoop
import Glibc
import PTTMessages

/// One connection to the audio socket: first it presents a token, then packets go both ways.
@EventLoop
final class AudioConnection {
    /// What becomes of a packet that the application sent.
    enum Reception {
        case wantsMore
        /// Read no more until ``resume()``: the writer is held up by its own queue.
        case hasEnough
        case isMalformed(String)
    }

    struct Handlers {
        /// The first packet.
        let token: @EventLoop ([UInt8]) -> Void
        /// Header and samples of one packet.
        let packet: @EventLoop (UnsafeRawBufferPointer) -> Reception
        let ended: @EventLoop (String) -> Void
    }

    /// Longer than any packet or token that makes sense.
    private static let longestPacket = 8192
    /// Packets that are read in a second: four times as many as can be heard. Who writes more has to wait, and does
    /// not keep the core busy.
    private static let packetsPerSecond = 200

    /// Who has connected.
    let processID: Int32
    private let descriptor: OwnedDescriptor
    private let patience: Duration
    private var source: DescriptorSource?
    private var deadline: TimerSource?
    private var isAttached = false
    private var isClosed = false
    private var isFull = false
    private var second = MonotonicInstant.now
    private var packetCount = 0
    private lazy var breath = TimerSource { [weak self] in self?.followInterest() }
    private var outgoing: [UInt8] = []
    private var incoming = [UInt8](repeating: 0, count: longestPacket)

    init(adopting descriptor: consuming OwnedDescriptor, from processID: Int32, patience: Duration) {
        self.descriptor = descriptor
        self.processID = processID
        self.patience = patience
    }

    // Before the descriptor closes with this object.
    isolated deinit { close() }

    /// Reads the token, or waits for it.
    func start(_ handlers: Handlers) throws(SystemError) {
        // Most have sent it with connecting, and are no strangers from the start. Who has gone again costs little.
        receive(handlers)
        guard !isClosed else { return }
        source = try DescriptorSource(descriptor.value, .readable) { [weak self] readiness in
            self?.ready(readiness, handlers)
        }
        guard !isAttached else { return }
        let deadline = TimerSource { handlers.ended("no token came in time") }
        deadline.arm(after: patience)
        self.deadline = deadline
    }

    /// Whether the peer has closed its end, known or not yet met.
    var hasPeerClosed: Bool {
        var state = pollfd(fd: descriptor.value, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// Reads on after a packet that was enough.
    func resume() {
        isFull = false
        followInterest()
    }

    /// Forgets what the peer has written so far.
    func discard() {
        guard isAttached else { return }
        // What a packet holds beyond this is gone with it. `incoming` may be in use, by the packet that led to this.
        var byte: UInt8 = 0
        for _ in 0..<Self.packetsPerSecond {
            // The end of the connection, and an error, are met again where they are told.
            guard recv(descriptor.value, &byte, 1, Int32(MSG_DONTWAIT)) > 0 else { return }
        }
    }

    func close() {
        isClosed = true
        source?.cancel()
        source = nil
        deadline?.disarm()
        deadline = nil
        breath.disarm()
    }

    /// - Returns: False when the peer has closed. A packet that its queue has no room for counts as sent.
    func send(_ header: AudioPacketHeader, _ samples: UnsafeRawBufferPointer) -> Bool {
        outgoing.removeAll(keepingCapacity: true)
        outgoing.append(contentsOf: header.bytes)
        outgoing.append(contentsOf: samples)
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        let sent = Glibc.send(descriptor.value, outgoing, outgoing.count, flags)
        return sent >= 0 || errno == EAGAIN || errno == ENOBUFS
    }

    private func ready(_ readiness: Readiness, _ handlers: Handlers) {
        // A paused connection is called for this only, and again and again until its source is cancelled.
        if source?.interest != .readable, !readiness.isDisjoint(with: [.hungUp, .failed]) {
            handlers.ended("the peer closed its connection")
            return
        }
        receive(handlers)
    }

    /// One packet for each turn of the loop, so that a writer cannot keep it busy.
    private func receive(_ handlers: Handlers) {
        let count = recv(descriptor.value, &incoming, incoming.count, Int32(MSG_DONTWAIT | MSG_TRUNC))
        guard count > 0 else {
            if count < 0 && errno == EAGAIN { return }
            handlers.ended("the peer closed its connection")
            return
        }
        guard count <= incoming.count else {
            handlers.ended("the peer sent a packet of \(count) bytes")
            return
        }
        guard isAttached else {
            isAttached = true
            deadline?.disarm()
            handlers.token(Array(incoming.prefix(count)))
            return
        }
        let reception = incoming.withUnsafeBytes {
            handlers.packet(UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        switch reception {
        case .wantsMore: break
        case .hasEnough: isFull = true
        case .isMalformed(let reason): return handlers.ended(reason)
        }
        packetCount += 1
        followInterest()
    }

    private func followInterest() {
        let now = MonotonicInstant.now
        if now - second >= .seconds(1) { (second, packetCount) = (now, 0) }
        let isHasty = packetCount >= Self.packetsPerSecond
        if isHasty { breath.arm(at: second + .seconds(1)) }
        let interest: Readiness = isFull || isHasty ? [] : .readable
        if source?.interest != interest { source?.interest = interest }
    }
}
