import EventLoop
import Glibc

/// Reports files in watched directories whose attributes changed: owner, mode, access control list
/// (inotify(7)).
///
/// The directories are watched instead of the files, because a file without read access cannot be watched.
@EventLoop
final class AttributeWatch {
    private let descriptor: OwnedDescriptor
    private let handler: @EventLoop (String?) -> Void
    private var directories: [Int32: String] = [:]
    private var source: DescriptorSource?

    /// - Parameter handler: Receives the path of a changed file, or nil if events were lost.
    /// - Throws: `EMFILE` if the user has too many inotify instances.
    init(handler: @escaping @EventLoop (String?) -> Void) throws(SystemError) {
        descriptor = OwnedDescriptor(adopting: inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)))
        self.handler = handler
        guard descriptor.value >= 0 else { throw SystemError("watch the access rights of devices") }
        source = try DescriptorSource(descriptor.value, .readable) { [weak self] _ in self?.readEvents() }
    }

    isolated deinit { source?.cancel() }

    /// Watches one more directory. Adding it again has no effect.
    func add(_ directory: String) throws(SystemError) {
        let number = inotify_add_watch(descriptor.value, directory, UInt32(IN_ATTRIB | IN_ONLYDIR))
        guard number >= 0 else { throw SystemError("watch \(directory)") }
        directories[number] = directory
    }

    private func readEvents() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor.value, &buffer, buffer.count)
        // EAGAIN and EINTR: the source fires again when there is something to read.
        guard count > 0 else { return }
        buffer.withUnsafeBytes { bytes in
            var offset = 0
            while offset + MemoryLayout<inotify_event>.size <= count {
                let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                let start = offset + MemoryLayout<inotify_event>.size
                let end = min(start + Int(event.len), count)
                // The name is padded with zeros.
                handle(event, String(decoding: bytes[start..<end].prefix { $0 != 0 }, as: UTF8.self))
                offset = end
            }
        }
    }

    private func handle(_ event: inotify_event, _ name: String) {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return handler(nil) }
        if event.mask & UInt32(IN_IGNORED) != 0 { directories[event.wd] = nil }
        guard !name.isEmpty, let directory = directories[event.wd] else { return }
        handler(directory + "/" + name)
    }
}
