import Glibc

/// Calls a handler when a file is created in a directory or moved into it (inotify(7)).
@EventLoop
package final class DirectoryWatch {
    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    /// - Parameters:
    ///   - directory: An existing directory.
    ///   - handler: Called with the name of each new file.
    /// - Throws: `ENOENT` if the directory does not exist, `EMFILE` if the user has too many watches.
    package init(_ directory: String, handler: @escaping @EventLoop (String) -> Void) throws(SystemError) {
        let created = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard created >= 0 else { throw SystemError("watch \(directory)") }
        descriptor = OwnedDescriptor(adopting: created)
        guard inotify_add_watch(created, directory, UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)) >= 0 else {
            throw SystemError("watch \(directory)")
        }
        source = try DescriptorSource(created, .readable) { [weak self] _ in
            for name in self?.createdNames() ?? [] { handler(name) }
        }
    }

    // The source ends before the descriptor closes: the number may be reused from then on.
    isolated deinit { source?.cancel() }

    /// Reads the names of one batch of events. The source fires again while there are more.
    private func createdNames() -> [String] {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            let count = read(descriptor.value, buffer.baseAddress, buffer.count)
            // EAGAIN: nothing to read after all. Any other error would repeat, and names no file.
            guard count > 0 else { return [] }
            return Self.names(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Each event is a header followed by `len` bytes of name, padded with NUL. An event without a name is
    /// about the directory itself.
    private static func names(in buffer: UnsafeRawBufferPointer) -> [String] {
        let header = MemoryLayout<inotify_event>.size
        var names: [String] = []
        var offset = 0
        while offset + header <= buffer.count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(offset + header + Int(event.len), buffer.count)
            let name = buffer[(offset + header)..<end].prefix { $0 != 0 }
            if !name.isEmpty { names.append(String(decoding: name, as: UTF8.self)) }
            offset = end
        }
        return names
    }
}
