import Glibc

/// Calls a handler when a path may have come to lead to something else: the file changed, came or went, or a directory
/// or a symbolic link on the way to it did (inotify(7), path_resolution(7)).
///
/// Of a directory on the way only its own end is watched, so that what happens beside the path wakes nobody; in the
/// nearest one that is there the appearance of the next. The end of one that may be passed and not read is not noticed.
@EventLoop
package final class FileWatch {
    /// What a path leads to.
    package enum Target: Equatable, Sendable {
        case exists
        /// Nothing is there.
        case isMissing
        /// A symbolic link is there, and what it names is not.
        case isBroken(link: String)
    }

    /// What `path`, an absolute one, leads to now.
    package nonisolated static func target(of path: String) -> Target { Way(to: path).target }

    private let path: String
    private let handler: @EventLoop () -> Void
    private var inotify: Inotify?

    /// - Parameters:
    ///   - path: An absolute path.
    ///   - handler: What it finds at the path is not older than the change, and any later change is told again.
    /// - Throws: `EMFILE` if the user has too many watches, `EACCES` if the directory that holds the file cannot be read.
    package init(_ path: String, handler: @escaping @EventLoop () -> Void) throws(SystemError) {
        self.path = path
        self.handler = handler
        try follow()
    }

    private func follow() throws(SystemError) {
        var way = Way(to: path)
        // What changes between the look and the watch is found at the next look; what changes all the time is told.
        for _ in 0..<8 {
            let created = try Inotify { [weak self] in self?.changed() }
            for point in way.points { try created.add(point) }
            inotify = created
            let again = Way(to: path)
            guard again != way else { break }
            way = again
        }
    }

    private func changed() {
        // The watches stay where they were if new ones cannot be set. What is there now is told all the same.
        try? follow()
        handler()
    }
}

/// What a path leads through.
private struct Way: Equatable {
    struct Point: Equatable {
        enum Role: Equatable {
            /// A directory on the way. It has to stay what it is.
            case passed
            /// A symbolic link on the way. It as well.
            case link
            /// The nearest directory that is there, and what has to appear in it.
            case awaits(String)
            /// The directory that holds what the path leads to.
            case holds(String)
        }

        let path: String
        let role: Role
    }

    /// As many as the kernel follows (path_resolution(7)).
    private static let maximumLinks = 40

    private(set) var points: [Point] = []
    private(set) var target = FileWatch.Target.exists

    init(to path: String) {
        // What is still to be walked, the next one last, with the link that named it.
        var rest: [(name: String, link: String?)] = Self.names(in: path).map { ($0, nil) }
        var place = "/"
        var links = 0
        while let (name, link) = rest.popLast() {
            let next = place == "/" ? "/" + name : "\(place)/\(name)"
            var found = stat()
            guard lstat(next, &found) == 0 else {
                points.append(Point(path: place, role: .awaits(name)))
                target = link.map { .isBroken(link: $0) } ?? .isMissing
                return
            }
            if found.st_mode & S_IFMT == S_IFLNK {
                links += 1
                points.append(Point(path: next, role: .link))
                guard links <= Self.maximumLinks, let named = Self.destination(of: next) else {
                    target = .isBroken(link: next)
                    return
                }
                if named.hasPrefix("/") { place = "/" }
                rest += Self.names(in: named).map { ($0, next) }
            } else if rest.isEmpty {
                points.append(Point(path: place, role: .holds(name)))
            } else {
                points.append(Point(path: next, role: .passed))
                place = next
            }
        }
    }

    /// The last one first.
    private static func names(in path: String) -> [String] {
        path.split(separator: "/").reversed().map { String($0) }
    }

    private static func destination(of link: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(link, start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}

/// One instance with all watches of a way.
@EventLoop
private final class Inotify {
    private let descriptor: OwnedDescriptor
    /// The names that matter, by watch.
    private var names: [Int32: Set<String>] = [:]
    private var source: DescriptorSource?

    init(changed: @escaping @EventLoop () -> Void) throws(SystemError) {
        let created = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard created >= 0 else { throw SystemError("watch files") }
        descriptor = OwnedDescriptor(adopting: created)
        source = try DescriptorSource(created, .readable) { [weak self] _ in
            if self?.hasNews() == true { changed() }
        }
    }

    // Before the descriptor closes with this object: its number may be another's by then.
    isolated deinit { source?.cancel() }

    func add(_ point: Way.Point) throws(SystemError) {
        // One directory may be on the way twice.
        let mask = UInt32(Self.changes(point.role) | IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_MASK_ADD)
        let watch = inotify_add_watch(descriptor.value, point.path, mask | Self.kind(point.role))
        guard watch >= 0 else {
            // It went between the look and this; the next look finds out.
            if errno == ENOENT || errno == ENOTDIR { return }
            // `/home` is often one that only root may list. That it stays what it is has to be believed.
            if errno == EACCES, point.role == .passed { return }
            throw SystemError("watch \(point.path)")
        }
        names[watch, default: []].formUnion(Self.name(point.role))
    }

    private static func changes(_ role: Way.Point.Role) -> Int32 {
        switch role {
        case .passed, .link: 0
        case .awaits: IN_CREATE | IN_MOVED_TO
        case .holds: IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB
        }
    }

    private static func kind(_ role: Way.Point.Role) -> UInt32 {
        switch role {
        case .link: UInt32(IN_DONT_FOLLOW)
        case .passed, .awaits, .holds: UInt32(IN_ONLYDIR)
        }
    }

    private static func name(_ role: Way.Point.Role) -> [String] {
        switch role {
        case .passed, .link: []
        case .awaits(let name), .holds(let name): [name]
        }
    }

    /// Reads what came; the loop comes back while there is more.
    private func hasNews() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            let count = read(descriptor.value, buffer.baseAddress, buffer.count)
            // EAGAIN: there was nothing after all. Any other error repeats itself, and no file can be told.
            guard count > 0 else { return false }
            return concernsUs(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Events lie one behind the other: a header, then `len` bytes with the name, padded with NUL.
    private func concernsUs(_ buffer: UnsafeRawBufferPointer) -> Bool {
        let header = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + header <= buffer.count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(offset + header + Int(event.len), buffer.count)
            let name = String(decoding: buffer[(offset + header)..<end].prefix { $0 != 0 }, as: UTF8.self)
            // Without a name it is about what is watched itself, or events were lost.
            if name.isEmpty || names[event.wd]?.contains(name) == true { return true }
            offset = end
        }
        return false
    }
}
