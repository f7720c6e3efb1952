import EventLoop
import Glibc

/// An open serial port: reads its bytes until it closes.
@EventLoop
final class SerialReader {
    /// Bytes of one read. The loop serves all other descriptors before the next.
    private static let readSize = 1024
    /// Bytes in a second. A press has some tens; a port that sends more is broken or hostile, and reading all
    /// of it would delay the releases of others.
    private static let limit = 8192

    private let descriptor: OwnedDescriptor
    private let received: @EventLoop ([UInt8]) -> Void
    private let closed: @EventLoop (String) -> Void
    private var source: DescriptorSource?
    private var secondStart = MonotonicInstant.now
    private var bytesInSecond = 0

    /// - Parameters:
    ///   - descriptor: A connected socket.
    ///   - received: Called with what was read, never empty.
    ///   - closed: Called once, with the reason, when the port was closed, has failed, or sends more than any
    ///     accessory has to say; nothing is read afterwards.
    /// - Throws: If the descriptor is not one that can be watched.
    init(
        _ descriptor: consuming OwnedDescriptor,
        received: @escaping @EventLoop ([UInt8]) -> Void,
        closed: @escaping @EventLoop (String) -> Void
    ) throws(SystemError) {
        let number = descriptor.value
        self.descriptor = descriptor
        self.received = received
        self.closed = closed
        // bluetoothd has a copy of the descriptor, and does not read it.
        let flags = fcntl(number, F_GETFL)
        guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw SystemError("read a serial port")
        }
        source = try DescriptorSource(number, .readable) { [weak self] _ in self?.read() }
    }

    isolated deinit { source?.cancel() }

    private func read() {
        var code: Int32 = 0
        var isAtEnd = false
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, count in
            let result = Glibc.read(descriptor.value, buffer.baseAddress, buffer.count)
            code = result < 0 ? errno : 0
            isAtEnd = result == 0
            count = max(result, 0)
        }
        if isAtEnd { return close("it closed its serial port") }
        if code == EAGAIN || code == EINTR { return }
        guard code == 0 else { return close("\(SystemError("read its serial port", code))") }
        guard count(bytes) else { return close("it sends more than \(Self.limit) bytes in a second") }
        received(bytes)
    }

    /// - Returns: True if the limit is kept.
    private func count(_ bytes: [UInt8]) -> Bool {
        let now = EventLoop.turnTime
        if now - secondStart >= .seconds(1) {
            secondStart = now
            bytesInSecond = 0
        }
        bytesInSecond += bytes.count
        return bytesInSecond <= Self.limit
    }

    private func close(_ reason: String) {
        source?.cancel()
        closed(reason)
    }
}
