import Glibc

/// Calls a handler when a path may resolve to something else: the file was changed, created or removed, or a
/// directory or a symbolic link on the path was (inotify(7), path_resolution(7)).
///
/// A directory on the path is watched only for its own removal, so that unrelated files cause no wake-ups;
/// the last existing one also for the creation of the next component. The removal of a directory that can be
/// searched but not read is not noticed.
@EventLoop
package final class FileWatch {
    /// The result of resolving a path.
    package enum Target: Equatable, Sendable {
        case exists
        /// There is no such file.
        case isMissing
        /// A symbolic link exists, but its target does not.
        case isBroken(link: String)
    }

    /// Resolves `path`, an absolute one, now.
    package nonisolated static func target(of path: String) -> Target { Resolution(of: path).target }

    private let path: String
    private let watchesContents: Bool
    private let handler: @EventLoop () -> Void
    private var inotify: Inotify?
    /// By the number of their watch: the same directory may be on the path twice.
    private var steps: [Int32: [Resolution.Step]] = [:]

    /// - Parameters:
    ///   - path: An absolute path.
    ///   - watchesContents: If it is a directory, the creation, the removal and the change of files in it are
    ///     reported too.
    ///   - handler: Finds the path as it was at the change, or newer; it is called again for each later
    ///     change.
    /// - Throws: `EMFILE` if the user has too many watches, `EACCES` if the directory that holds the file
    ///   cannot be read.
    package init(
        _ path: String,
        andContents watchesContents: Bool = false,
        handler: @escaping @EventLoop () -> Void
    ) throws(SystemError) {
        self.path = path
        self.watchesContents = watchesContents
        self.handler = handler
        try updateWatches()
    }

    private func updateWatches() throws(SystemError) {
        var resolution = Resolution(of: path)
        // A change between resolving the path and watching it is found by resolving it again. A path that
        // changes all the time is reported by the watches that are set by then.
        for _ in 0..<8 {
            let created = try Inotify("watch files") { [weak self] in self?.received($0) }
            var wanted = resolution.steps
            if watchesContents, resolution.target == .exists {
                wanted.append(Resolution.Step(path: path, mask: Resolution.Step.changes))
            }
            var watched: [Int32: [Resolution.Step]] = [:]
            for step in wanted {
                if let watch = try Self.watch(step, by: created) { watched[watch, default: []].append(step) }
            }
            (inotify, steps) = (created, watched)
            let again = Resolution(of: path)
            guard again != resolution else { break }
            resolution = again
        }
    }

    /// - Returns: The number of the watch; nil if it cannot be watched.
    private static func watch(_ step: Resolution.Step, by inotify: Inotify) throws(SystemError) -> Int32? {
        let mask = step.mask | IN_DELETE_SELF | IN_MOVE_SELF | IN_MASK_ADD
        do throws(SystemError) {
            return try inotify.add(step.path, UInt32(mask))
        } catch {
            // It was removed since the path was resolved; resolving it again will show that.
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            // `/home` is often listable by root only. It has to be trusted to stay.
            if error.code == EACCES, step.mask == Resolution.Step.directory { return nil }
            throw error
        }
    }

    private func received(_ events: [Inotify.Event]) {
        let areRelevant = events.contains { event in
            // Without a name it is about the watched file itself, or reports that events were lost.
            event.name.isEmpty || steps[event.watch]?.contains { $0.isFollowed(event.name) } == true
        }
        guard areRelevant else { return }
        // If new watches cannot be set, the old ones stay. The present state is reported nevertheless.
        try? updateWatches()
        handler()
    }
}

/// The steps by which the kernel resolves a path.
private struct Resolution: Equatable {
    struct Step: Equatable {
        // What is asked for beside the removal of the path itself, and of which kind it is (inotify(7)).
        static let link = IN_DONT_FOLLOW
        static let directory = IN_ONLYDIR
        /// The creation of a file in it.
        static let creation = directory | IN_CREATE | IN_MOVED_TO
        /// Every change of a file in it.
        static let changes = creation | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB

        let path: String
        let mask: Int32
        /// The only file in it that counts; nil with ``changes``: each does.
        var name: String?

        /// Returns true if a change of this file in it counts.
        func isFollowed(_ file: String) -> Bool { name.map { $0 == file } ?? (mask == Self.changes) }
    }

    /// The kernel's limit (path_resolution(7)).
    private static let maximumLinks = 40

    private(set) var steps: [Step] = []
    private(set) var target = FileWatch.Target.exists

    init(of path: String) {
        // The components that remain, the next one last, each with the link that it came from.
        var rest: [(name: String, link: String?)] = Self.components(of: path).map { ($0, nil) }
        var directory = "/"
        var links = 0
        while let (name, link) = rest.popLast() {
            let next = directory == "/" ? "/" + name : "\(directory)/\(name)"
            var found = stat()
            guard lstat(next, &found) == 0 else {
                steps.append(Step(path: directory, mask: Step.creation, name: name))
                target = link.map { .isBroken(link: $0) } ?? .isMissing
                return
            }
            if found.st_mode & S_IFMT == S_IFLNK {
                links += 1
                steps.append(Step(path: next, mask: Step.link))
                guard links <= Self.maximumLinks, let named = destination(of: next) else {
                    target = .isBroken(link: next)
                    return
                }
                if named.hasPrefix("/") { directory = "/" }
                rest += Self.components(of: named).map { ($0, next) }
            } else if rest.isEmpty {
                steps.append(Step(path: directory, mask: Step.changes, name: name))
            } else {
                steps.append(Step(path: next, mask: Step.directory))
                directory = next
            }
        }
    }

    /// The last one first.
    private static func components(of path: String) -> [String] {
        path.split(separator: "/").reversed().map { String($0) }
    }
}

/// The path that a symbolic link says.
func destination(of link: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let start = buffer.baseAddress else { return nil }
        let count = readlink(link, start, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
