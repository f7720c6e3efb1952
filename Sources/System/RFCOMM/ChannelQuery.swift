import CBluetooth
package import EventLoop
import Glibc

/// Queries the SDP server of a device for the RFCOMM channel of a service. Dropping it ends the query.
@EventLoop
package final class ChannelQuery {
    /// Packets of one answer, with up to 64 KiB each. libbluetooth collects as many as the device sends.
    private static let maximumPackets = 16

    private let session: UnsafeMutablePointer<sdp_session_t>
    private let device: String
    private let completion: @EventLoop (Result<UInt8, SystemError>) -> Void
    private var source: DescriptorSource?
    private var packets = 0
    /// The answer that libbluetooth has passed to the callback.
    private var answer: Result<UInt8, SystemError>?

    /// - Parameters:
    ///   - socket: A connected socket of packets to the SDP server.
    ///   - service: The service class, a short UUID on the Bluetooth Base UUID.
    ///   - device: Its name, for errors.
    ///   - completion: Called once with the channel, 1 to 30, or the reason, and never before this returns.
    /// - Throws: If the socket cannot be used.
    package init(
        _ socket: consuming OwnedDescriptor,
        service: ServiceClass,
        device: String,
        completion: @escaping @EventLoop (Result<UInt8, SystemError>) -> Void
    ) throws(SystemError) {
        let action = "query \(device) for its serial port"
        guard let session = sdp_create(socket.value, 0) else { throw SystemError(action, ENOMEM) }
        // From here on the session owns the socket, and closes it.
        let descriptor = socket.release()
        self.session = session
        self.device = device
        self.completion = completion
        sdp_set_notify(
            session,
            { type, status, bytes, size, context in
                let answer = ChannelQuery.channel(type: type, status: status, bytes, size)
                onLoop(context, as: ChannelQuery.self) { $0.answered(answer) }
            },
            unretained(self)
        )
        guard send(service) else { throw SystemError(action, sdp_get_error(session)) }
        source = try DescriptorSource(descriptor, .readable) { [weak self] _ in self?.received() }
    }

    isolated deinit {
        source?.cancel()
        sdp_close(session)
    }

    private func send(_ service: ServiceClass) -> Bool {
        var uuid = service.sdp
        return withUnsafeMutablePointer(to: &uuid) { uuid in
            let pattern = sdp_list_append(nil, uuid)
            defer { sdp_list_free(pattern, nil) }
            // All attributes: some servers do not answer for single ones.
            var range: UInt32 = 0x0000_FFFF
            return withUnsafeMutablePointer(to: &range) { range in
                let attributes = sdp_list_append(nil, range)
                defer { sdp_list_free(attributes, nil) }
                return sdp_service_search_attr_async(session, pattern, SDP_ATTR_REQ_RANGE, attributes) == 0
            }
        }
    }

    private func received() {
        packets += 1
        // It returns -1 as soon as the answer is complete, or has failed.
        let isComplete = sdp_process(session) < 0
        guard isComplete || packets >= Self.maximumPackets else { return }
        source?.cancel()
        let code = isComplete ? sdp_get_error(session) : EMSGSIZE
        completion(answer ?? .failure(failure(code == 0 ? EPROTO : code)))
    }

    private func answered(_ channel: UInt8?) {
        answer = channel.map { .success($0) } ?? .failure(failure(ENOENT))
    }

    private func failure(_ code: Int32) -> SystemError {
        SystemError("find the serial port of \(device)", code)
    }

    private nonisolated static func channel(
        type: UInt8,
        status: UInt16,
        _ bytes: UnsafeMutablePointer<UInt8>?,
        _ size: Int
    ) -> UInt8? {
        guard status == 0, type == UInt8(SDP_SVC_SEARCH_ATTR_RSP), let bytes else { return nil }
        var rest = Array(UnsafeBufferPointer(start: bytes, count: size))[...]
        return DataElement(removedFrom: &rest)?.channel
    }
}

/// A service class of SDP.
package struct ServiceClass: Sendable, Equatable {
    /// 16 bytes, the first of the text first.
    private let bytes: [UInt8]

    /// - Parameter text: 36 characters, as BlueZ writes it. Anything else is nil.
    package init?(_ text: String) {
        guard text.utf8.count == 36, let number = UInt128(text.filter { $0 != "-" }, radix: 16) else {
            return nil
        }
        bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// A short UUID where it is one: not every server knows that both forms are equal.
    fileprivate var sdp: uuid_t {
        var uuid = uuid_t()
        sdp_uuid128_create(&uuid, bytes)
        sdp_uuid128_to_uuid(&uuid)
        return uuid
    }
}
