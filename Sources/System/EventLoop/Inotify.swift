import Glibc

/// One inotify instance (inotify(7)), whose watches end with it.
@EventLoop
package final class Inotify {
    package struct Event {
        package let watch: Int32
        /// Empty if the event is about the watched file itself, or reports that events were lost.
        package let name: String
    }

    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    /// Calls the handler with a batch of events, and again while there are more. `action` completes "could
    /// not …".
    ///
    /// - Throws: `EMFILE` if the user has too many instances.
    package init(_ action: String, handler: @escaping @EventLoop ([Event]) -> Void) throws(SystemError) {
        let created = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard created >= 0 else { throw SystemError(action) }
        descriptor = OwnedDescriptor(adopting: created)
        source = try DescriptorSource(created, .readable) { [weak self] _ in
            if let events = self?.readEvents(), !events.isEmpty { handler(events) }
        }
    }

    // The source ends before the descriptor closes: the number may be reused from then on.
    isolated deinit { source?.cancel() }

    /// - Returns: The number of the watch, the same for the same file.
    /// - Throws: `ENOENT` or `ENOTDIR` if there is no such file, `EACCES` if it cannot be read.
    package func add(_ path: String, _ mask: UInt32) throws(SystemError) -> Int32 {
        let watch = inotify_add_watch(descriptor.value, path, mask)
        guard watch >= 0 else { throw SystemError("watch \(path)") }
        return watch
    }

    private func readEvents() -> [Event] {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            let count = read(descriptor.value, buffer.baseAddress, buffer.count)
            // EAGAIN: nothing to read after all. Any other error would repeat, and names no file.
            guard count > 0 else { return [] }
            return Self.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Each event is a header followed by `len` bytes of name, padded with NUL.
    private static func events(in buffer: UnsafeRawBufferPointer) -> [Event] {
        let header = MemoryLayout<inotify_event>.size
        var events: [Event] = []
        var offset = 0
        while offset + header <= buffer.count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(offset + header + Int(event.len), buffer.count)
            let name = String(decoding: buffer[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
            events.append(Event(watch: event.wd, name: name))
            offset = end
        }
        return events
    }
}
