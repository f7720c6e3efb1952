import EventLoop
import Glibc
import RFCOMM
import TestSupport
import Testing

@Suite struct ChannelQueryTests {
    init() { withRunningLoop() }

    private let serialPort = ServiceClass("00001101-0000-1000-8000-00805f9b34fb")

    @Test @EventLoop func `the channel is that of the first record that has one`() async throws {
        let server = try SDPServer()
        let results = try server.query(try #require(serialPort))
        let request = try await server.request()
        // Service search attribute request, and the short UUID of the serial port in the pattern.
        #expect(request[0] == 0x06)
        #expect(Array(request[5..<10]) == [0x35, 0x03, 0x19, 0x11, 0x01])
        server.answer(request, records: [SDPServer.record(channel: nil), SDPServer.record(channel: 5)])
        #expect(try await results.next() == .success(5))
    }

    @Test @EventLoop func `an answer in several packets is collected`() async throws {
        let server = try SDPServer()
        let results = try server.query(try #require(serialPort))
        let body = SDPServer.list([SDPServer.record(channel: 7)])
        server.answer(try await server.request(), part: body[..<10], continuation: [1])
        server.answer(try await server.request(), part: body[10...], continuation: [])
        #expect(try await results.next() == .success(7))
    }

    @Test @EventLoop func `a service with a long UUID is asked for by it`() async throws {
        let server = try SDPServer()
        let long = ServiceClass("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
        let results = try server.query(try #require(long))
        let request = try await server.request()
        #expect(Array(request[5..<12]) == [0x35, 0x11, 0x1C, 0x6E, 0x40, 0x00, 0x01])
        server.answer(request, records: [])
        #expect(try await results.next() == .failure(SystemError(SDPServer.action, ENOENT)))
    }

    nonisolated static let malformed: [[UInt8]] = [
        [], [0x07], [0x07, 0, 0, 0xFF, 0xFF], [0x01, 0, 0, 0, 2, 0, 3], [0x07, 0, 0, 0, 3, 0xFF, 0xFF, 0],
        [0x07, 0, 0, 0, 8, 0, 5, 0x36, 0xFF, 0xFF, 0x35, 0xFF, 0],
        [0x07, 0, 0, 0, 7, 0, 4, 0x37, 0xFF, 0xFF, 0xFF, 0xFF],
    ]

    @Test(arguments: malformed) @EventLoop
    func `a malformed answer is an error`(answer: [UInt8]) async throws {
        let server = try SDPServer()
        let results = try server.query(try #require(serialPort))
        _ = try await server.request()
        if answer.isEmpty { server.close() } else { server.send(answer) }
        let result = try await results.next()
        #expect(throws: SystemError.self) { try result.get() }
    }

    /// libbluetooth never returns from the first one, and has no stack for the second.
    nonisolated static let hostile: [[UInt8]] = [
        [0x36, 0, 8, 0x35, 6, 0x09, 0, 4, 0x35, 16, 0x35],
        (0..<20_000).reduce(into: [UInt8]()) { body, depth in
            let size = 3 * depth
            body += [UInt8(size & 0xFF), UInt8(size >> 8), 0x36]
        }
        .reversed(),
    ]

    @Test(arguments: hostile) @EventLoop
    func `sequences without an end have no channel`(body: [UInt8]) async throws {
        let server = try SDPServer()
        let results = try server.query(try #require(serialPort))
        server.answer(try await server.request(), part: body[...], continuation: [])
        #expect(try await results.next() == .failure(SystemError(SDPServer.action, ENOENT)))
    }

    @Test @EventLoop func `an alternative of stacks has the channel of the first one with RFCOMM`()
        async throws
    {
        let stacks: [UInt8] = [
            0x3D, 19, 0x35, 5, 0x35, 3, 0x19, 0x01, 0x00, 0x35, 10, 0x35, 8, 0x1A, 0, 0, 0, 3, 0x09, 0, 9,
        ]
        let record: [UInt8] = [0x35, UInt8(3 + stacks.count), 0x09, 0, 4] + stacks
        let server = try SDPServer()
        let results = try server.query(try #require(serialPort))
        server.answer(try await server.request(), records: [record])
        #expect(try await results.next() == .success(9))
    }

    @Test @EventLoop func `random answers are errors, or channels that exist`() async throws {
        var generator = SplitMix.ofThisRun()
        for _ in 0..<2000 {
            let server = try SDPServer()
            let results = try server.query(try #require(serialPort))
            let request = try await server.request()
            var body = SDPServer.list([SDPServer.record(channel: 5), SDPServer.record(channel: nil)])
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                body[Int.random(in: body.indices, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            server.answer(request, part: body[...], continuation: [])
            if case .success(let channel) = try await results.next() { #expect((1...30).contains(channel)) }
        }
    }

    @Test @EventLoop func `an answer without end is not collected without end`() async throws {
        let server = try SDPServer()
        let results = try server.query(try #require(serialPort))
        for _ in 0..<16 {
            let part = [UInt8](repeating: 0, count: 600)
            server.answer(try await server.request(), part: part[...], continuation: [1])
        }
        #expect(try await results.next() == .failure(SystemError(SDPServer.action, EMSGSIZE)))
    }

    @Test func `an address is six groups of two digits`() {
        #expect(BluetoothAddress("00:1b:DC:00:00:77")?.description == "00:1B:DC:00:00:77")
        for text in ["", "00:1B:DC:00:00", "00:1B:DC:00:00:7", "00:1B:DC:00:00:+7", "00:1B:DC:00:00:77:"] {
            #expect(BluetoothAddress(text) == nil)
        }
    }
}

/// The SDP server of a device, at the other end of a socket pair.
@EventLoop
private final class SDPServer {
    nonisolated static let action = "find the serial port of the microphone"

    private let requests = AsyncQueue(of: [UInt8].self)
    private let results = AsyncQueue(of: Result<UInt8, SystemError>.self)
    private var near: OwnedDescriptor?
    private var far: OwnedDescriptor?
    private var source: DescriptorSource?
    private var query: ChannelQuery?

    init() throws {
        let (near, far) = try UnixSocket.pair(.packets)
        self.near = OwnedDescriptor(adopting: near)
        self.far = OwnedDescriptor(adopting: far)
        source = try DescriptorSource(far, .readable) { [weak self] _ in
            var buffer = [UInt8](repeating: 0, count: 2048)
            let count = read(far, &buffer, buffer.count)
            if count > 0 { self?.requests.add(Array(buffer[..<count])) } else { self?.source?.cancel() }
        }
    }

    isolated deinit { source?.cancel() }

    func query(_ service: ServiceClass) throws -> AsyncQueue<Result<UInt8, SystemError>> {
        if let near = near.take() {
            query = try ChannelQuery(near, service: service, device: "the microphone") { [results] in
                results.add($0)
            }
        }
        return results
    }

    func request() async throws -> [UInt8] { try await requests.next() }

    func answer(_ request: [UInt8], records: [[UInt8]]) {
        answer(request, part: Self.list(records)[...], continuation: [])
    }

    /// Service search attribute response (Bluetooth Core Specification, Volume 3, Part B, 4.7.2).
    func answer(_ request: [UInt8], part: ArraySlice<UInt8>, continuation: [UInt8]) {
        let body = Self.big(UInt16(part.count)) + part + [UInt8(continuation.count)] + continuation
        send([0x07, request[1], request[2]] + Self.big(UInt16(body.count)) + body)
    }

    func send(_ packet: [UInt8]) {
        if let number = far?.value { #expect(write(number, packet, packet.count) == packet.count) }
    }

    func close() {
        source?.cancel()
        far = nil
    }

    nonisolated static func list(_ records: [[UInt8]]) -> [UInt8] {
        let bytes = Array(records.joined())
        return [0x36] + big(UInt16(bytes.count)) + bytes
    }

    /// A record with a handle, and with a protocol list of L2CAP and RFCOMM.
    nonisolated static func record(channel: UInt8?) -> [UInt8] {
        let handle: [UInt8] = [0x09, 0x00, 0x00, 0x0A, 0x00, 0x01, 0x00, 0x01]
        let protocols: [UInt8] =
            channel.map {
                [0x09, 0x00, 0x04, 0x35, 0x0C, 0x35, 0x03, 0x19, 0x01, 0x00]
                    + [0x35, 0x05, 0x19, 0x00, 0x03, 0x08, $0]
            } ?? []
        return [0x35, UInt8(handle.count + protocols.count)] + handle + protocols
    }

    nonisolated private static func big(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
}
