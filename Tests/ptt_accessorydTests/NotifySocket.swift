import EventLoop
import Glibc
import TestSupport

/// Receives the messages of `sd_notify` in place of systemd.
@EventLoop
final class NotifySocket {
    nonisolated let path: String
    nonisolated let texts = AsyncQueue(of: String.self)

    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    init(at path: String) throws {
        self.path = path
        descriptor = OwnedDescriptor(adopting: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor.value, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw SystemError("bind \(path)") }
        source = try DescriptorSource(descriptor.value, .readable) { [weak self] _ in self?.receive() }
    }

    // Before the descriptor closes with this object.
    isolated deinit { source?.cancel() }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor.value, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 { texts.add(String(decoding: buffer[..<count], as: UTF8.self)) }
    }
}
