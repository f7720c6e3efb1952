import EventLoop
import Glibc
import PTTMessages

/// One connection to the audio socket: first it presents a token, then it is written to.
@EventLoop
final class AudioConnection {
    private let descriptor: OwnedDescriptor
    private let patience: Duration
    private var source: DescriptorSource?
    private var deadline: TimerSource?
    private var isAttached = false
    private var packet: [UInt8] = []

    init(adopting descriptor: consuming OwnedDescriptor, patience: Duration) {
        self.descriptor = descriptor
        self.patience = patience
    }

    // Before the descriptor closes with this object.
    isolated deinit { close() }

    /// Waits for the token.
    func start(
        token: @escaping @EventLoop (String) -> Void,
        ended: @escaping @EventLoop (String) -> Void
    ) throws(SystemError) {
        source = try DescriptorSource(descriptor.value, .readable) { [weak self] _ in
            self?.receive(token: token, ended: ended)
        }
        let deadline = TimerSource { ended("no token came in time") }
        deadline.arm(after: patience)
        self.deadline = deadline
    }

    func close() {
        source?.cancel()
        source = nil
        deadline?.disarm()
        deadline = nil
    }

    /// - Returns: False when the peer has closed. A packet that its queue has no room for counts as sent.
    func send(_ header: AudioPacketHeader, _ samples: UnsafeRawBufferPointer) -> Bool {
        packet.removeAll(keepingCapacity: true)
        packet.append(contentsOf: header.bytes)
        packet.append(contentsOf: samples)
        let sent = Glibc.send(descriptor.value, packet, packet.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        return sent >= 0 || errno == EAGAIN || errno == ENOBUFS
    }

    private func receive(token: @EventLoop (String) -> Void, ended: @EventLoop (String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0 && errno == EAGAIN { return }
            ended("the peer closed its connection")
            return
        }
        guard !isAttached else {
            ended("the peer sent audio, which this core does not play")
            return
        }
        isAttached = true
        deadline?.disarm()
        token(String(decoding: buffer.prefix(count), as: UTF8.self))
    }
}
