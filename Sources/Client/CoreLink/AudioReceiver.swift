public import EventLoop
internal import Glibc
public import PTTMessages

/// The application's end of the audio socket: packets while audio is active, nothing otherwise.
@EventLoop
public final class AudioReceiver {
    /// The samples are good for the time of the call.
    public typealias Handler = @EventLoop (AudioPacketHeader, ArraySlice<UInt8>) -> Void

    /// 20 ms of stereo at 48 kHz, the largest packet there is.
    private static let largestPacket = AudioPacketHeader.size + 3840

    private let descriptor: OwnedDescriptor
    private let handler: Handler
    private var source: DescriptorSource?
    private var buffer = [UInt8](repeating: 0, count: largestPacket)

    /// Connects and presents the token.
    ///
    /// - Parameters:
    ///   - token: From the answer to `Join`; good for one connection.
    ///   - handler: Called for each packet, in order.
    /// - Throws: ``NoRuntimeDirectory``, or ``SystemError`` if the core cannot be reached.
    public init(token: String, handler: @escaping Handler) throws {
        self.handler = handler
        descriptor = try UnixSocket.connect(to: try RuntimeSocket.audio.path, .packets)
        let bytes = Array(token.utf8)
        guard send(descriptor.value, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw SystemError("present the audio token")
        }
        source = try DescriptorSource(descriptor.value, .readable) { [weak self] _ in self?.receive() }
    }

    // Before the descriptor closes with this object.
    isolated deinit { close() }

    /// Ends the reception. Further calls do nothing.
    public func close() {
        source?.cancel()
        source = nil
        _ = shutdown(descriptor.value, Int32(SHUT_RDWR))  // The descriptor itself closes with this object.
    }

    private func receive() {
        while source != nil {
            let count = recv(descriptor.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
            // The end of this socket says nothing that the end of the core's connection does not say as well.
            guard count > 0 else { return close() }
            guard let header = AudioPacketHeader(buffer.prefix(count)) else { continue }
            handler(header, buffer[AudioPacketHeader.size..<count])
        }
    }
}
