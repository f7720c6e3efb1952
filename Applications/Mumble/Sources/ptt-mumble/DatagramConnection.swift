import MumbleCore
import NIOCore
import NIOPosix

/// The UDP socket of a connection. NIO closes it when the kernel refuses a packet, as without a route, and
/// opens none without a route: the next packet opens it, which is a ping until one is answered.
@MainActor
final class DatagramConnection {
    enum Event {
        case received(ByteBuffer)
        /// The socket is closed, or could not be opened.
        case failed
    }

    private let address: SocketAddress
    private let group: MultiThreadedEventLoopGroup
    /// Nil after ``close()``.
    private var handle: (@MainActor (Event) -> Void)?
    private var channel: (any Channel)?
    private var task: Task<Void, Never>?

    /// - Parameters:
    ///   - address: The server, as the TCP connection has found it.
    ///   - group: Runs the socket.
    ///   - handle: Is told what happens, until ``close()``.
    init(
        to address: SocketAddress,
        on group: MultiThreadedEventLoopGroup,
        handle: @escaping @MainActor (Event) -> Void
    ) {
        (self.address, self.group) = (address, group)
        self.handle = handle
    }

    isolated deinit { task?.cancel() }

    func close() {
        task?.cancel()
        (handle, channel, task) = (nil, nil, nil)
    }

    /// Sends a packet, or drops it if the socket takes none at present: late voice is of no use.
    func send(_ bytes: [UInt8]) {
        guard let channel else { return open(bytes) }
        write(bytes, to: channel)
    }

    private func write(_ bytes: [UInt8], to channel: any Channel) {
        guard let address = channel.remoteAddress, channel.isWritable else { return }
        channel.writeAndFlush(
            AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: bytes)),
            promise: nil
        )
    }

    private func open(_ first: [UInt8]) {
        guard task == nil, handle != nil else { return }
        task = MainQueue.start { [weak self, address, group] in
            do {
                let channel = try await Self.connect(to: address, on: group)
                try await channel.executeThenClose { inbound, _ in
                    self?.opened(channel.channel, first)
                    for try await packet in inbound { self?.handle?(.received(packet.data)) }
                }
            } catch {
                // It is of no interest why: the end without an error is a failure, too.
            }
            self?.failed()
        }
    }

    private func opened(_ channel: any Channel, _ first: [UInt8]) {
        guard handle != nil else { return }
        self.channel = channel
        write(first, to: channel)
    }

    private func failed() {
        (channel, task) = (nil, nil)
        handle?(.failed)
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

extension ServerSession {
    mutating func handle(_ event: DatagramConnection.Event, _ now: Duration) -> [Effect] {
        switch event {
        case .received(let packet): receivedDatagram(Array(packet.readableBytesView), now)
        case .failed: lostDatagrams(now)
        }
    }
}
