import Glibc

/// Calls a handler when a file is created in a directory or moved into it (inotify(7)).
@EventLoop
package final class DirectoryWatch {
    private let inotify: Inotify

    /// - Parameters:
    ///   - directory: An existing directory.
    ///   - handler: Called with the name of each new file.
    /// - Throws: `ENOENT` if the directory does not exist, `EMFILE` if the user has too many watches.
    package init(_ directory: String, handler: @escaping @EventLoop (String) -> Void) throws(SystemError) {
        inotify = try Inotify("watch \(directory)") { events in
            // An event without a name is about the directory itself.
            for event in events where !event.name.isEmpty { handler(event.name) }
        }
        _ = try inotify.add(directory, UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR))
    }
}
