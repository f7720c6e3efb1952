import Glibc

/// Calls a handler when files of a directory come, change or go (inotify(7)).
@EventLoop
package final class DirectoryWatch {
    package struct Changes: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A file was created in the directory or moved into it.
        package static let appears = Changes(rawValue: UInt32(IN_CREATE | IN_MOVED_TO))
        /// Who wrote to a file has closed it.
        package static let changes = Changes(rawValue: UInt32(IN_CLOSE_WRITE))
        /// A file was removed or moved away.
        package static let vanishes = Changes(rawValue: UInt32(IN_DELETE | IN_MOVED_FROM))
        /// The directory itself was removed or moved, which an empty name tells.
        package static let ends = Changes(rawValue: UInt32(IN_DELETE_SELF | IN_MOVE_SELF))
    }

    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    /// - Parameters:
    ///   - directory: An existing directory.
    ///   - changes: What to tell of.
    ///   - handler: Called with the name of each file that this happens to.
    /// - Throws: `ENOENT` if the directory does not exist, `EMFILE` if the user has too many watches.
    package init(
        _ directory: String,
        _ changes: Changes = .appears,
        handler: @escaping @EventLoop (String) -> Void
    ) throws(SystemError) {
        let created = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard created >= 0 else { throw SystemError("watch \(directory)") }
        descriptor = OwnedDescriptor(adopting: created)
        let mask = changes.rawValue | UInt32(IN_ONLYDIR)
        guard inotify_add_watch(created, directory, mask) >= 0 else {
            throw SystemError("watch \(directory)")
        }
        source = try DescriptorSource(created, .readable) { [weak self] _ in
            for name in self?.changedNames() ?? [] { handler(name) }
        }
    }

    // Before the descriptor closes with this object: its number may be another's by then.
    isolated deinit { source?.cancel() }

    /// The names of one read; the loop comes back while there are more.
    private func changedNames() -> [String] {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            let count = read(descriptor.value, buffer.baseAddress, buffer.count)
            // EAGAIN: there was nothing after all. Any other error repeats itself, and no file can be told.
            guard count > 0 else { return [] }
            return Self.names(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Events lie one behind the other: a header, then `len` bytes with the name, padded with NUL.
    private static func names(in buffer: UnsafeRawBufferPointer) -> [String] {
        let header = MemoryLayout<inotify_event>.size
        var names: [String] = []
        var offset = 0
        while offset + header <= buffer.count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(offset + header + Int(event.len), buffer.count)
            let name = buffer[(offset + header)..<end].prefix { $0 != 0 }
            names.append(String(decoding: name, as: UTF8.self))
            offset = end
        }
        return names
    }
}
