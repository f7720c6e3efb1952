package import EventLoop
import Glibc
package import PTTMessages

/// The application's end of the audio socket: it receives packets while the microphone is open, and sends
/// packets to play while a remote participant is set.
@EventLoop
package final class AudioSocketClient {
    /// The samples are valid during the call only.
    package typealias Handler = @EventLoop (AudioPacketHeader, ArraySlice<UInt8>) -> Void

    private struct Outgoing {
        let packet: [UInt8]
        let sent: @EventLoop (Bool) -> Void
    }

    private static let largestPacket = AudioPacketHeader.size + AudioFormat.largestPacket
    /// In bytes: room for few packets, so that a writer is held up soon and not seconds ahead of the speaker.
    private static let sendBuffer: Int32 = 8192

    /// Called once when the core ends the connection; not for ``close()``.
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
    ///   - token: From the answer to `Join` or `Attach`. It allows one connection at a time, and another
    ///     after the end of that.
    ///   - handler: Called for each packet, in order.
    /// - Throws: ``NoRuntimeDirectory``, or ``SystemError`` if the core cannot be reached.
    package init(token: String, handler: @escaping Handler) throws {
        self.handler = handler
        descriptor = try UnixSocket.connect(to: try RuntimeSocket.audio.path, .packets)
        var size = Self.sendBuffer
        // A failure only lets a writer get further ahead.
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

    /// Reads the packets that have arrived.
    package func receive() {
        while source != nil {
            let count = recv(descriptor.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            guard count > 0 else { return lost() }
            guard let header = AudioPacketHeader(buffer.prefix(count)) else { continue }
            handler(header, buffer[AudioPacketHeader.size..<count])
        }
    }

    /// Sends 20 ms of samples, now or when the socket has room for them.
    ///
    /// - Parameters:
    ///   - samples: As long as ``AudioFormat/bytesPerPacket``; the core ends the connection for any other
    ///     length.
    ///   - sent: Called once: with true when the samples are in the socket, with false if the connection
    ///     ended before.
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
