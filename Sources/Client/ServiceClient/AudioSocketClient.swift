package import EventLoop
import Glibc
package import PTTMessages

/// The application's end of the audio socket: packets come while the microphone is open, and go while somebody else
/// is heard.
@EventLoop
package final class AudioSocketClient {
    /// The samples are good for the time of the call.
    package typealias Handler = @EventLoop (AudioPacketHeader, ArraySlice<UInt8>) -> Void

    private struct Outgoing {
        let packet: [UInt8]
        let sent: @EventLoop (Bool) -> Void
    }

    /// 20 ms of stereo at 48 kHz, the largest packet there is.
    private static let largestPacket = AudioPacketHeader.size + 3840
    /// Room for few packets in the socket: whoever writes is to be held up soon, not seconds ahead of what is heard.
    private static let sendBuffer: Int32 = 8192

    /// Called once when the core has closed, or is lost; not for ``close()``.
    package var onClose: (@EventLoop () -> Void)?

    private let descriptor: OwnedDescriptor
    private let handler: Handler
    private var source: DescriptorSource?
    private var buffer = [UInt8](repeating: 0, count: largestPacket)
    private var outgoing: [Outgoing] = []
    private var sequence: UInt64 = 0

    /// Connects and presents the token.
    ///
    /// - Parameters:
    ///   - token: From the answer to `Join` or `Attach`; good for one connection at a time, so that whose link has ended
    ///     can make another.
    ///   - handler: Called for each packet, in order.
    /// - Throws: ``NoRuntimeDirectory``, or ``SystemError`` if the core cannot be reached.
    package init(token: String, handler: @escaping Handler) throws {
        self.handler = handler
        descriptor = try UnixSocket.connect(to: try RuntimeSocket.audio.path, .packets)
        var size = Self.sendBuffer
        // Only a matter of how far a writer gets ahead.
        _ = setsockopt(descriptor.value, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let bytes = Array(token.utf8)
        guard Glibc.send(descriptor.value, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SystemError("present the audio token")
        }
        source = try DescriptorSource(descriptor.value, .readable) { [weak self] readiness in
            self?.ready(readiness)
        }
    }

    // Before the descriptor closes with this object.
    isolated deinit { close() }

    /// Ends both directions. Further calls do nothing.
    package func close() {
        onClose = nil
        source?.cancel()
        source = nil
        _ = shutdown(descriptor.value, Int32(SHUT_RDWR))  // The descriptor itself closes with this object.
        let waiting = outgoing
        outgoing = []
        for item in waiting { item.sent(false) }
    }

    /// Reads what has arrived already.
    package func receive() {
        while source != nil {
            let count = recv(descriptor.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            guard count > 0 else { return lost() }
            guard let header = AudioPacketHeader(buffer.prefix(count)) else { continue }
            handler(header, buffer[AudioPacketHeader.size..<count])
        }
    }

    /// Sends 20 ms of samples, now or when the core has room for them.
    ///
    /// - Parameters:
    ///   - samples: As long as ``AudioFormat/bytesPerPacket``; the core ends the link for any other length.
    ///   - sent: Called once: with true when the core has taken them, with false if the link ended before.
    package func send(_ samples: some Collection<UInt8>, sent: @escaping @EventLoop (Bool) -> Void) {
        guard source != nil else { return sent(false) }
        let header = AudioPacketHeader(sequence: sequence, timestamp: .now)
        sequence += 1
        outgoing.append(Outgoing(packet: header.bytes + samples, sent: sent))
        flush()
    }

    private func lost() {
        let onClose = onClose
        close()
        onClose?()
    }

    private func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush() }
        if !readiness.isDisjoint(with: [.readable, .hungUp, .failed]) { receive() }
    }

    private func flush() {
        while let item = outgoing.first {
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let count = Glibc.send(descriptor.value, item.packet, item.packet.count, flags)
            if count < 0 && (errno == EAGAIN || errno == ENOBUFS) {
                source?.interest = [.readable, .writable]
                return
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return lost() }
            outgoing.removeFirst()
            item.sent(true)
        }
        source?.interest = .readable
    }
}
