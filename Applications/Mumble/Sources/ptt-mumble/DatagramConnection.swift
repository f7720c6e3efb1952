import NIOCore
import NIOPosix

/// The UDP socket of a connection. If it fails, voice goes through the TCP connection, because no ping is
/// answered.
@MainActor
final class DatagramConnection {
    private var channel: (any Channel)?
    private var task: Task<Void, Never>?

    /// - Parameters:
    ///   - address: The server, as the TCP connection has found it.
    ///   - group: Runs the socket.
    ///   - handle: Is given each packet, until ``close()``.
    init(
        to address: SocketAddress,
        on group: MultiThreadedEventLoopGroup,
        handle: @escaping @MainActor (ByteBuffer) -> Void
    ) {
        task = MainQueue.start { [weak self] in
            do {
                let channel = try await Self.connect(to: address, on: group)
                try await channel.executeThenClose { inbound, _ in
                    guard self?.task != nil else { return }
                    self?.channel = channel.channel
                    for try await packet in inbound where self?.task != nil { handle(packet.data) }
                }
            } catch {
                // Above.
            }
            self?.channel = nil
        }
    }

    isolated deinit { task?.cancel() }

    func close() {
        task?.cancel()
        task = nil
        channel = nil
    }

    /// Sends a packet, or drops it if the socket takes none at present: late voice is of no use.
    func send(_ bytes: [UInt8]) {
        guard let channel, let address = channel.remoteAddress, channel.isWritable else { return }
        channel.writeAndFlush(
            AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: bytes)),
            promise: nil
        )
    }

    private static func connect(to address: SocketAddress, on group: MultiThreadedEventLoopGroup) async throws
        -> NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, AddressedEnvelope<ByteBuffer>>
    {
        try await DatagramBootstrap(group: group)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                }
            }
    }
}
